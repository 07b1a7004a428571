import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSigner, type Jwk } from '../../../server/protocol/jose/jws.js'
import { readMdoc } from '../../../server/protocol/mdoc/mdoc.js'
import { makeCertificate } from '../../protocol/issuer-keys/certificates.js'
import { query } from '../../support/postgres.js'
import type { Answer } from '../../support/service.js'
import { newWallet, type WalletActor } from '../../support/wallet-actor.js'
import { type Issuer, refusalOf } from './actors.js'
import { newProviderRoot, trusting } from './attestation-actors.js'
import { encryptFor, newAnswerKey, requestKey, sendJwe } from './encryption-actors.js'
import { keyAttestationOf, startHaip } from './haip-actors.js'
import { haipLibraryWallet } from './haip-library-wallet.js'
import { newHolderKey, takeOffer } from './library-wallet.js'
import {
  CLAIMS,
  failedChecks,
  fetchFrom,
  licenceSchema,
  MDOC,
  NAMESPACE,
  offerOf,
  postSchema,
  startMdocIssuer,
} from './mdoc-actors.js'

const providerRoot = newProviderRoot()
let issuer: Issuer
let close: () => Promise<void>

beforeAll(async () => {
  ;({ issuer, close } = await startMdocIssuer({ env: await trusting([], [providerRoot]) }))
  const name = 'AttestedLicence'
  const posted = await postSchema(issuer, licenceSchema({ name, keyAttestation: { keyStorage: ['iso_18045_high'] } }))
  expect(posted.status, posted.text).toBe(201)
})
afterAll(() => close())

const deviceKeys = (credentials: readonly string[]) => credentials.map((credential) => readMdoc(credential).deviceKey)

describe('keys that are attested (OpenID4VCI 1.0 Appendix D, F.3)', () => {
  const attester = () => {
    const { privateKey, x5c } = makeCertificate({ subject: 'Wallet Provider', keyUsage: 0x80, issuer: providerRoot })
    return { privateJwk: privateKey.export({ format: 'jwk' }), x5c: [x5c], keyStorage: ['iso_18045_high'] }
  }

  it.each([
    ['jwt', 1],
    ['jwt', 3],
    ['attestation', 3],
  ] as const)('@openid4vc/openid4vci takes a document for each key: proof type %s, %i keys', async (as, count) => {
    const configuration = 'AttestedLicence-mdoc'
    const keys = await Promise.all(Array.from({ length: count }, newHolderKey))
    const made = await offerOf(issuer, { credentialConfigurationIds: [configuration] })
    const taken = await takeOffer({
      offer: made.credentialOfferUri,
      keys,
      named: 'by jwk',
      attested: { by: attester(), as },
      fetch: fetchFrom(issuer),
    })
    const copies = taken[configuration]?.credentials ?? []
    expect(deviceKeys(copies)).toEqual(keys.map(({ publicJwk }) => publicJwk))
    const signer = await createSigner(keys[0]?.privateJwk as Jwk, 'device')
    expect(await failedChecks(copies[0] ?? '', signer, [[NAMESPACE, 'family_name']])).toEqual([])
  })
})

describe('keys that COSE cannot represent', () => {
  const REFUSAL = 'Holder key cannot stand in an mdoc: it must be of P-256, P-384 or Ed25519.'

  it('attack: with one such key in a batch, nothing is issued or used up', async () => {
    const { credentialOfferSessionId: id } = await offerOf(issuer)
    const token = await issuer.token(id)
    const wallets = await Promise.all([newWallet(), newWallet('ES256K')])
    expect(refusalOf(await issuer.take(token, MDOC, ...wallets))).toEqual([400, 'invalid_proof', REFUSAL])
    const rows = await query(issuer.service.databaseUrl, 'SELECT 1 FROM redemptions WHERE offering_id = $1', [id])
    expect(rows).toEqual([])
    expect((await issuer.take(token, MDOC, await newWallet())).status).toBe(200)
  })

  it('attack: such a key for a deferred offer is refused at once, not after the approval', async () => {
    const { credentialOfferSessionId: id } = await offerOf(issuer, { deferred: true })
    const answer = await issuer.take(await issuer.token(id), MDOC, await newWallet('PS256'))
    expect(refusalOf(answer)).toEqual([400, 'invalid_proof', REFUSAL])
  })

  it('attack: such a key with an attestation is refused', async () => {
    const haip = await startHaip()
    try {
      expect((await postSchema(haip.issuer, licenceSchema())).status).toBe(201)
      const { credentialOffer } = await offerOf(haip.issuer, { credentialConfigurationIds: [MDOC] })
      const { issuer_state } = credentialOffer.grants.authorization_code
      const { json } = await haip.wallet.redeem(await haip.wallet.code({ issuer_state, scope: MDOC }))
      const take = async (...keys: readonly WalletActor[]): Promise<Answer> => {
        const attestation = [await keyAttestationOf(keys, await haip.issuer.nonce())]
        return haip.wallet.request(json.access_token, { attestation }, MDOC)
      }
      const good = await newWallet()
      expect(refusalOf(await take(good, await newWallet('ES256K')))).toEqual([400, 'invalid_proof', REFUSAL])
      const { credentials } = (await take(good)).json as { credentials: { credential: string }[] }
      expect(deviceKeys(credentials.map(({ credential }) => credential))).toEqual([good.publicJwk])
    } finally {
      await haip.close()
    }
  })
})

describe('encrypted requests and answers (OpenID4VCI 1.0 §10)', () => {
  it.each([{}, { zip: 'DEF' as const }])('carry a document, also a deferred document: %o', async (choice) => {
    const { service } = issuer
    const made = await offerOf(issuer, { credentialConfigurationIds: [MDOC], deferred: true })
    const token = await issuer.token(made.credentialOfferSessionId)
    const [key, wallet] = [await newAnswerKey(), await newWallet()]
    const credential_response_encryption = { jwk: key.publicJwk, enc: 'A256GCM', ...choice }
    const send = async (endpoint: 'credential' | 'deferred-credential', body: object, status: number) => {
      const text = JSON.stringify({ ...body, credential_response_encryption })
      const answer = await sendJwe(service, token, await encryptFor(await requestKey(service), text, choice), endpoint)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'application/jwt'])
      return (await key.open(answer.text)).json
    }
    const jwt = [await wallet.proof(service.config.issuerBaseUrl, await issuer.nonce())]
    const waiting = await send('credential', { credential_configuration_id: MDOC, proofs: { jwt } }, 202)
    expect(waiting.credentials).toBeUndefined()
    await issuer.decide(made.credentialOfferSessionId, 'approve')
    const { credentials } = await send('deferred-credential', { transaction_id: waiting.transaction_id }, 200)
    const [{ credential }] = credentials
    expect(deviceKeys([credential])).toEqual([wallet.publicJwk])
    expect(await failedChecks(credential, wallet.signer, [[NAMESPACE, 'given_name']])).toEqual([])
  })
})

it('a notification about a document ends its session (§11)', async () => {
  const { credentialOfferSessionId: id } = await offerOf(issuer, { credentialConfigurationIds: [MDOC] })
  const token = await issuer.token(id)
  const { notification_id } = (await issuer.take(token, MDOC)).json
  expect((await issuer.notify(token, { notification_id, event: 'credential_accepted' })).status).toBe(204)
  expect((await issuer.session(id)).state).toBe('Accepted')
})

it('@openid4vc/openid4vci takes documents under HAIP 1.0: PAR, PKCE, DPoP, attestations, and again after a refresh', async () => {
  const haip = await startHaip()
  try {
    expect((await postSchema(haip.issuer, licenceSchema())).status).toBe(201)
    const wallet = await haipLibraryWallet(haip.issuer, MDOC)
    const made = await offerOf(haip.issuer, { credentialConfigurationIds: [MDOC], credentialSubject: CLAIMS })
    const { tokenType, credentials } = await wallet.takeOffer(made.credentialOfferUri)
    expect([tokenType, deviceKeys(credentials)]).toEqual(['DPoP', Array(2).fill(wallet.holder.publicJwk)])
    const entries = credentials.map((credential) => readMdoc(credential).status?.idx)
    expect(new Set(entries).size).toBe(2)
    for (const credential of credentials)
      expect(await failedChecks(credential, wallet.holder.signer, [[NAMESPACE, 'birth_date']])).toEqual([])
    const [offering] = await query(
      haip.issuer.service.databaseUrl,
      'SELECT redemption_count FROM offerings WHERE id = $1',
      [made.credentialOfferSessionId],
    )
    expect(offering?.redemption_count).toBe(1)
  } finally {
    await haip.close()
  }
})
