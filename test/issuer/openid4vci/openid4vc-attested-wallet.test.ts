import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeCertificate } from '../../protocol/issuer-keys/certificates.js'
import { type Issuer, JWT_VC, payloadOf, SD_JWT, startIssuer } from './actors.js'
import { newProviderRoot, trusting } from './attestation-actors.js'
import { type Attester, newHolderKey, takeOffer } from './library-wallet.js'

const root = newProviderRoot()
let issuer: Issuer

beforeAll(async () => {
  issuer = await startIssuer({ env: await trusting([], [root]) })
  const posted = await issuer.service.request('POST', '/schemas', {
    authorization: await issuer.authorization(),
    body: {
      name: 'Attested',
      version: 1,
      schema: { type: 'object', properties: { product: { type: 'string' } } },
      keyAttestation: { keyStorage: ['iso_18045_high'] },
    },
  })
  expect(posted.status, posted.text).toBe(201)
})
afterAll(() => issuer.service.close())

function newAttester(members: Partial<Attester> = {}): Attester {
  const { privateKey, x5c } = makeCertificate({ subject: 'Wallet Provider', keyUsage: 0x80, issuer: root })
  return { privateJwk: privateKey.export({ format: 'jwk' }), x5c: [x5c], ...members }
}

const offered = async (...credentialConfigurationIds: string[]) =>
  (await issuer.makeOffer({ credentialConfigurationIds, credentialSubject: { product: 'Mill' } })).credentialOfferUri

describe('@openid4vc/openid4vci takes credentials for keys that its provider attests (OpenID4VCI 1.0 Appendix D)', () => {
  it.each([
    ['jwt', 1],
    ['jwt', 5],
    ['attestation', 1],
    ['attestation', 5],
  ] as const)('proof type %s, %i keys', async (as, count) => {
    const keys = await Promise.all(Array.from({ length: count }, newHolderKey))
    const offer = await offered(JWT_VC, SD_JWT)
    const taken = await takeOffer({ offer, keys, named: 'by jwk', attested: { by: newAttester(), as } })
    for (const configuration of [JWT_VC, SD_JWT]) {
      const copies = taken[configuration]?.credentials ?? []
      expect(copies.map((copy) => payloadOf(copy).cnf.jwk)).toEqual(keys.map(({ publicJwk }) => publicJwk))
    }
  })

  it('also with a proof by a DID', async () => {
    const keys = [await newHolderKey()]
    const offer = await offered(SD_JWT)
    const taken = await takeOffer({ offer, keys, named: 'by did', attested: { by: newAttester(), as: 'jwt' } })
    expect(payloadOf(taken[SD_JWT]?.credentials[0] ?? '').cnf).toEqual({ kid: `${keys[0]?.did}#0` })
  })

  it.each(['jwt', 'attestation'] as const)('if the schema demands it, and only then: %s', async (as) => {
    const keys = [await newHolderKey()]
    const strong = newAttester({ keyStorage: ['iso_18045_high'], userAuthentication: ['iso_18045_basic'] })
    const weak = newAttester({ keyStorage: ['iso_18045_basic'] })
    const take = async (attested?: { by: Attester; as: 'jwt' | 'attestation' }) =>
      takeOffer({
        offer: await offered('Attested-sd-jwt'),
        keys,
        named: 'by jwk',
        ...(attested === undefined ? {} : { attested }),
      })
    expect((await take({ by: strong, as }))['Attested-sd-jwt']?.credentials).toHaveLength(1)
    await expect(take({ by: weak, as })).rejects.toThrow()
    // The library learns from the metadata that it needs an attestation.
    await expect(take()).rejects.toThrow('requires key attestations')
  })
})
