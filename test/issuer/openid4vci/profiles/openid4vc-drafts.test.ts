import { Openid4vciClient, Openid4vciVersion } from '@openid4vc/openid4vci'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Issuer, JWT_VC, payloadOf, SD_JWT, startIssuer } from '../actors.js'
import { type HolderKey, libraryCallbacks, newHolderKey, takeOffer } from '../library-wallet.js'

const FORMER = `${SD_JWT}-legacy`

let issuer: Issuer

beforeAll(async () => {
  issuer = await startIssuer({ env: { ISSUER_LEGACY_PROFILES: 'draft15,draft13,draft11' } })
})
afterAll(() => issuer.service.close())

type Json = Record<string, unknown>

/** Returns the issuer's metadata with only the members that a wallet of the draft knows. */
const READERS: Readonly<
  Record<'draft15' | 'draft13' | 'draft11', (metadata: Json, configurations: [string, Json][]) => Json>
> = {
  draft15: (metadata, configurations) => ({
    ...metadata,
    credential_configurations_supported: Object.fromEntries(
      configurations
        .filter(([, { format }]) => format !== 'vc+sd-jwt')
        .map(([id, { credential_metadata: _, ...known }]) => [id, known]),
    ),
  }),
  draft13: ({ nonce_endpoint: _, credentials_supported: __, ...metadata }, configurations) => ({
    ...metadata,
    credential_configurations_supported: Object.fromEntries(
      configurations
        .filter(([, { format }]) => format !== 'dc+sd-jwt')
        .map(([id, { credential_metadata: _, claims, ...known }]) => [
          id,
          { ...known, ...(Array.isArray(claims) ? {} : { claims }) },
        ]),
    ),
  }),
  draft11: ({ nonce_endpoint: _, credential_configurations_supported: __, authorization_servers: ___, ...metadata }) =>
    metadata,
}

type Draft = keyof typeof READERS

const readingAs =
  (draft: Draft): typeof fetch =>
  async (input, init) => {
    const answer = await fetch(input, init)
    if (!String(input).includes('/.well-known/openid-credential-issuer')) return answer
    const metadata = (await answer.json()) as Json
    const configurations = Object.entries(metadata.credential_configurations_supported as Record<string, Json>)
    return Response.json(READERS[draft](metadata, configurations))
  }

/**
 * Takes all offered configurations, with one `proof` in each request. The wallet takes the `c_nonce` from the response
 * that the draft defines.
 */
async function takeAs(draft: Draft, offer: string, key: HolderKey, txCode?: string) {
  const client = new Openid4vciClient({ callbacks: { ...libraryCallbacks([key]), fetch: readingAs(draft) } })
  const credentialOffer = await client.resolveCredentialOffer(offer)
  const issuerMetadata = await client.resolveIssuerMetadata(credentialOffer.credential_issuer)
  const { accessTokenResponse } = await client.retrievePreAuthorizedCodeAccessTokenFromOffer({
    credentialOffer,
    issuerMetadata,
    ...(txCode === undefined ? {} : { txCode }),
  })
  let nonce = accessTokenResponse.c_nonce
  const taken: Record<string, string> = {}
  for (const credentialConfigurationId of credentialOffer.credential_configuration_ids) {
    if (draft === 'draft15') nonce = (await client.requestNonce({ issuerMetadata })).c_nonce
    const { jwt } = await client.createCredentialRequestJwtProof({
      issuerMetadata,
      credentialConfigurationId,
      ...(nonce === undefined ? {} : { nonce }),
      signer: { method: 'did', didUrl: `${key.did}#0`, alg: 'ES256' },
    })
    const { credentialResponse } = await client.retrieveCredentials({
      issuerMetadata,
      accessToken: accessTokenResponse.access_token,
      credentialConfigurationId,
      proof: { proof_type: 'jwt', jwt },
    })
    nonce = credentialResponse.c_nonce
    taken[credentialConfigurationId] = String(credentialResponse.credential)
  }
  return { version: issuerMetadata.originalDraftVersion, taken, nonce }
}

const verified = async (credential: string) => {
  const authorization = await issuer.authorization()
  const answer = await issuer.service.request('POST', '/credentials/verify', { authorization, body: { credential } })
  return answer.json
}

describe('@openid4vc/openid4vci takes offers of drafts', () => {
  it.each([
    ['draft15', Openid4vciVersion.Draft15, [JWT_VC, SD_JWT]],
    ['draft13', Openid4vciVersion.Draft14, [JWT_VC, FORMER]],
    ['draft11', Openid4vciVersion.Draft11, [JWT_VC, FORMER]],
  ] as const)('%s, in both formats', async (profile, version, ids) => {
    const made = await issuer.makeOffer({ profile, credentialConfigurationIds: ids, txCode: true })
    const key = await newHolderKey()
    const { taken, nonce, ...rest } = await takeAs(profile, made.credentialOfferUri, key, made.txCode)
    expect(rest).toEqual({ version })
    expect(Object.keys(taken)).toEqual(ids)
    expect(typeof nonce).toBe(profile === 'draft15' ? 'undefined' : 'string')
    for (const id of ids) {
      expect(await verified(taken[id] ?? '')).toMatchObject({ isValid: true })
      expect(payloadOf(taken[id] ?? '').sub).toBe(key.did)
    }
  })

  it.each(['draft15', 'draft13'] as const)('of %s also as a wallet of 1.0', async (profile) => {
    const ids = [JWT_VC, profile === 'draft15' ? SD_JWT : FORMER]
    const made = await issuer.makeOffer({ profile, credentialConfigurationIds: ids })
    const taken = await takeOffer({ offer: made.credentialOfferUri, keys: [await newHolderKey()], named: 'by jwk' })
    expect(Object.keys(taken)).toEqual(ids)
    for (const { credentials } of Object.values(taken))
      expect(await verified(credentials[0] ?? '')).toMatchObject({ isValid: true })
  })

  it('and offers of 1.0 from the same metadata', async () => {
    const made = await issuer.makeOffer()
    const keys = await Promise.all([newHolderKey(), newHolderKey()])
    const taken = await takeOffer({ offer: made.credentialOfferUri, keys, named: 'by jwk' })
    expect(Object.values(taken).map(({ credentials }) => credentials.length)).toEqual([2, 2])
  })
})
