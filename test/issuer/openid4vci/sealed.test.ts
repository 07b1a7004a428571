import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { CODE_SECONDS, createSeals, NONCE_SECONDS } from '../../../server/issuer/openid4vci/sealed.js'

const LINK = { offeringId: 'offer', linkNumber: 0 }

let seconds = 1_800_000_000
const seals = createSeals({
  sealingKey: (label) => new Uint8Array(createHash('sha256').update(label).digest()),
  clock: () => new Date(seconds * 1000),
  newId: () => 'one',
})

it.each<[string, number, () => string, (sealed: string) => unknown]>([
  ['a pre-authorized code', CODE_SECONDS, () => seals.preAuthorizedCode(LINK), seals.openCode],
  ['a c_nonce', NONCE_SECONDS, seals.nonce, seals.nonceIssuedAt],
  ['an attestation challenge', NONCE_SECONDS, seals.attestationChallenge, seals.isAttestationChallenge],
  ['a nonce for DPoP proofs', NONCE_SECONDS, seals.dpopNonce, seals.isDpopNonce],
])('%s is valid for exactly %i seconds', (_, lasts, make, open) => {
  const sealed = make()
  seconds += lasts - 1
  expect(open(sealed)).toBeTruthy()
  seconds += 1
  expect(open(sealed)).toBeFalsy()
})

it('no sealed value is accepted as another kind', () => {
  const opens = [seals.openCode, seals.nonceIssuedAt, seals.isAttestationChallenge, seals.isDpopNonce]
  const made = [seals.preAuthorizedCode(LINK), seals.nonce(), seals.attestationChallenge(), seals.dpopNonce()]
  expect(made.map((sealed) => opens.map((open) => Boolean(open(sealed))))).toEqual(
    made.map((_, at) => opens.map((_open, by) => at === by)),
  )
})
