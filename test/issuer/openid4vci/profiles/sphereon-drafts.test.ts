import { importJWK, type JWK, SignJWT } from 'jose'
import { OpenID4VCIClientV1_0_11, OpenID4VCIClientV1_0_13 } from 'sphereon-oid4vci-client-draft13'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Issuer, JWT_VC, payloadOf, SD_JWT, startIssuer } from '../actors.js'
import { type HolderKey, newHolderKey } from '../library-wallet.js'

const FORMER = `${SD_JWT}-legacy`

let issuer: Issuer

beforeAll(async () => {
  vi.spyOn(console, 'log').mockImplementation(() => {})
  vi.spyOn(console, 'error').mockImplementation(() => {})
  issuer = await startIssuer({ env: { ISSUER_LEGACY_PROFILES: 'draft13,draft11' } })
})
afterAll(() => issuer.service.close())

type Named = { readonly jwk: JWK } | { readonly kid: string }

interface Signed {
  readonly header: object
  readonly payload: object
}

/** Signs the header and the payload as the client made them. */
const signCallback =
  ({ privateJwk }: HolderKey) =>
  async ({ header, payload }: Signed): Promise<string> =>
    new SignJWT({ ...payload })
      .setProtectedHeader({ ...header, alg: 'ES256' })
      .sign(await importJWK(privateJwk, 'ES256'))

interface Answer {
  readonly credential?: unknown
  readonly c_nonce?: string
}

interface Client {
  readonly accessTokenResponse: { c_nonce?: string }
  acquireCredentials(options: object): Promise<Answer>
}

/** Takes one credential after the other, each with the nonce of the previous answer. */
async function takeBoth(client: Client, key: HolderKey, named: Named) {
  const proofCallbacks = { signCallback: signCallback(key) }
  const vct = `${issuer.service.url}/vct/${JWT_VC}`
  const first = await client.acquireCredentials({
    credentialTypes: ['VerifiableCredential', JWT_VC],
    format: 'jwt_vc_json',
    proofCallbacks,
    ...named,
  })
  client.accessTokenResponse.c_nonce = first.c_nonce ?? ''
  const second = await client.acquireCredentials({
    credentialTypes: [vct],
    format: 'vc+sd-jwt',
    proofCallbacks,
    ...named,
  })
  return [String(first.credential), String(second.credential)] as const
}

const verified = async (credential: string) => {
  const authorization = await issuer.authorization()
  const answer = await issuer.service.request('POST', '/credentials/verify', { authorization, body: { credential } })
  return answer.json
}

const CLIENTS = { draft13: OpenID4VCIClientV1_0_13, draft11: OpenID4VCIClientV1_0_11 } as const

const clientOf = async (draft: keyof typeof CLIENTS, uri: string) => {
  const client = await CLIENTS[draft].fromURI({ uri, clientId: 'wallet', alg: 'ES256' })
  return client as unknown as Client & { acquireAccessToken(options: object): Promise<Answer> }
}

describe.each(['draft13', 'draft11'] as const)('@sphereon/oid4vci-client 0.16 takes offers of %s', (profile) => {
  const offer = { profile, credentialConfigurationIds: [JWT_VC, FORMER] }

  it.each(['by jwk', 'by did'])('in both formats, with its key named %s', async (named) => {
    const key = await newHolderKey()
    const name = named === 'by jwk' ? { jwk: key.publicJwk } : { kid: `${key.did}#0` }
    const made = await issuer.makeOffer(offer)
    const client = await clientOf(profile, made.credentialOfferUri)
    expect((await client.acquireAccessToken({})).c_nonce).toEqual(expect.any(String))
    const [jwtVc, sdJwt] = await takeBoth(client, key, name)
    expect(await verified(jwtVc)).toMatchObject({ isValid: true, format: 'jwt_vc' })
    expect(await verified(sdJwt)).toMatchObject({ isValid: true, format: 'dc+sd-jwt' })
    expect(payloadOf(sdJwt).cnf).toEqual(named === 'by did' ? { kid: `${key.did}#0` } : { jwk: key.publicJwk })
  })

  it('with a transaction code, and not with another', async () => {
    const made = await issuer.makeOffer({ ...offer, txCode: true })
    const wrong = made.txCode === '000000' ? '000001' : '000000'
    const client = await clientOf(profile, made.credentialOfferUri)
    await expect(client.acquireAccessToken({ pin: wrong })).rejects.toThrow(/status: 400/)
    await client.acquireAccessToken({ pin: made.txCode })
    const key = await newHolderKey()
    const [jwtVc, sdJwt] = await takeBoth(client, key, { jwk: key.publicJwk })
    expect([payloadOf(jwtVc).cnf, payloadOf(sdJwt).cnf]).toEqual([{ jwk: key.publicJwk }, { jwk: key.publicJwk }])
  })
})

describe('if only draft 13 is allowed, the client names configurations by their ids', () => {
  it.each([
    ['as types', { credentialTypes: [FORMER], format: 'vc+sd-jwt' }],
    ['as types of a W3C credential', { credentialTypes: [JWT_VC], format: 'jwt_vc_json' }],
    ['as unknown identifiers', { credentialIdentifier: FORMER }],
  ])('%s', async (_, named) => {
    const only13 = await startIssuer({ env: { ISSUER_LEGACY_PROFILES: 'draft13' } })
    const key = await newHolderKey()
    const made = await only13.makeOffer({ profile: 'draft13', credentialConfigurationIds: [JWT_VC, FORMER] })
    const client = await clientOf('draft13', made.credentialOfferUri)
    await client.acquireAccessToken({})
    const proofCallbacks = { signCallback: signCallback(key) }
    const answer = await client.acquireCredentials({ ...named, proofCallbacks, jwk: key.publicJwk })
    expect(payloadOf(String(answer.credential)).cnf).toEqual({ jwk: key.publicJwk })
    await only13.service.close()
  })
})
