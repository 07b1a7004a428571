import { OpenID4VCIClientV1_0_15 } from '@sphereon/oid4vci-client'
import type { Jwt } from '@sphereon/oid4vci-common'
import { importJWK, type JWK, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Issuer, JWT_VC, payloadOf, SD_JWT, startIssuer } from './actors.js'
import { type HolderKey, newHolderKey } from './library-wallet.js'

let issuer: Issuer

beforeAll(async () => {
  // The client logs a line if there is no authorization endpoint.
  vi.spyOn(console, 'error').mockImplementation(() => {})
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  issuer = await startIssuer()
})
afterAll(() => issuer.service.close())

/** Signs the header and the payload as the client made them. */
const signed =
  ({ privateJwk }: HolderKey) =>
  async ({ header, payload }: Jwt): Promise<string> =>
    new SignJWT({ ...payload })
      .setProtectedHeader({ ...header, alg: 'ES256' })
      .sign(await importJWK(privateJwk, 'ES256'))

/** Takes every configuration of an offer with Sphereon's client, which speaks draft 15: one `proof` for each request. */
async function takeOffer(offer: string, key: HolderKey, named: { jwk: JWK } | { kid: string }, pin?: string) {
  const client = await OpenID4VCIClientV1_0_15.fromURI({ uri: offer, clientId: 'wallet', alg: 'ES256' })
  await client.acquireAccessToken(pin === undefined ? {} : { pin })
  const taken: Record<string, string> = {}
  for (const configuration of client.getCredentialOfferConfigurationIds()) {
    await client.acquireNonce()
    const { format = '' } = client.endpointMetadata.credentialIssuerMetadata?.credential_configurations_supported?.[
      configuration
    ] ?? { format: '' }
    const answer = await client.acquireCredentials({
      credentialConfigurationId: configuration,
      format: format as 'jwt_vc_json' | 'dc+sd-jwt',
      proofCallbacks: { signCallback: signed(key) },
      ...(named as { kid: string }),
    })
    const [first] = answer.credentials ?? []
    taken[configuration] = String((first as { credential?: unknown } | undefined)?.credential)
    await client.sendNotification(
      { notificationEndpoint: `${issuer.service.url}/openid4vci/notification` },
      { notification_id: answer.notification_id ?? '', event: 'credential_accepted' },
    )
  }
  return taken
}

const verified = async (credential: string | undefined) => {
  const authorization = await issuer.authorization()
  const answer = await issuer.service.request('POST', '/credentials/verify', { authorization, body: { credential } })
  return answer.json
}

describe('@sphereon/oid4vci-client takes credentials', () => {
  it.each(['by jwk', 'by did'])('in both formats, with its key named %s', async (named) => {
    const made = await issuer.makeOffer()
    const key = await newHolderKey()
    const name = named === 'by jwk' ? { jwk: key.publicJwk } : { kid: `${key.did}#0` }
    const taken = await takeOffer(made.credentialOfferUri, key, name)
    expect(Object.keys(taken)).toEqual([JWT_VC, SD_JWT])
    expect(await verified(taken[JWT_VC])).toMatchObject({ isValid: true, format: 'jwt_vc' })
    expect(await verified(taken[SD_JWT])).toMatchObject({ isValid: true, format: 'dc+sd-jwt' })
    expect(payloadOf(taken[SD_JWT] ?? '').cnf).toEqual(
      named === 'by did' ? { kid: `${key.did}#0` } : { jwk: key.publicJwk },
    )
    expect((await issuer.session(made.credentialOfferSessionId)).state).toBe('Accepted')
  })

  it('with a transaction code, and not with another', async () => {
    const made = await issuer.makeOffer({ txCode: true })
    const key = await newHolderKey()
    const wrong = made.txCode === '000000' ? '000001' : '000000'
    await expect(takeOffer(made.credentialOfferUri, key, { jwk: key.publicJwk }, wrong)).rejects.toThrow(/status: 400/)
    const taken = await takeOffer(made.credentialOfferUri, key, { jwk: key.publicJwk }, made.txCode)
    expect(Object.keys(taken)).toEqual([JWT_VC, SD_JWT])
  })

  it('from an offering of the interface', async () => {
    const offering = await issuer.makeOffering({ redemption_limit: 1 })
    const key = await newHolderKey()
    const taken = await takeOffer(offering.offering_full_url, key, { kid: `${key.did}#0` })
    expect(payloadOf(taken[JWT_VC] ?? '').sub).toBe(key.did)
  })
})
