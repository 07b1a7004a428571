import { createHash, randomBytes } from 'node:crypto'
import {
  type CallbackContext,
  type ClientAuthenticationCallback,
  type Jwk as LibraryJwk,
  Oauth2Client,
} from '@openid4vc/oauth2'
import { type CredentialOfferObject, Openid4vciClient, setGlobalConfig } from '@openid4vc/openid4vci'
import { expect } from 'vitest'
import { installValidationMessages } from '../../../server/api/validation.js'
import { signCompact } from '../../../server/protocol/jose/jws.js'
import { newWallet, type WalletActor } from '../../support/wallet-actor.js'
import { type Issuer, SD_JWT } from './actors.js'
import { popOf } from './attestation-actors.js'
import { newBrowser, openPage, REDIRECT_URI } from './browser.js'
import { attestationOf, CLIENT, keyAttestationOf } from './haip-actors.js'

// The library changes Zod's messages for the whole process, so the service's messages in this process change too.
installValidationMessages()
setGlobalConfig({ allowInsecureUrls: true })

const jwkOf = ({ publicJwk }: WalletActor) => publicJwk as LibraryJwk

/** A `fetch` that sends requests for the service's public address to the address where the service listens. */
const fetchFrom =
  ({ service }: Issuer): typeof fetch =>
  (input, init) =>
    fetch(String(input).replace(service.config.issuerBaseUrl, service.url), init)

/** Authenticates with a challenge that it fetches first (Attestation-Based Client Authentication §8). */
function authentication(issuer: Issuer, instance: WalletActor): ClientAuthenticationCallback {
  return async ({ headers, authorizationServerMetadata: metadata }) => {
    const endpoint = String(metadata.challenge_endpoint)
    const answer = await fetchFrom(issuer)(endpoint, { method: 'POST' })
    const { attestation_challenge: challenge } = (await answer.json()) as { attestation_challenge: string }
    headers.set('OAuth-Client-Attestation', await attestationOf(instance))
    headers.set('OAuth-Client-Attestation-PoP', await popOf(instance, metadata.issuer, { payload: { challenge } }))
  }
}

/**
 * An independent wallet (`@openid4vc/openid4vci`), under HAIP 1.0.
 *
 * @param configuration the configuration that the wallet takes
 */
export async function haipLibraryWallet(issuer: Issuer, configuration = SD_JWT) {
  const [instance, dpopKey, holder] = [await newWallet(), await newWallet(), await newWallet()]
  const keys = [instance, dpopKey, holder]
  const callbacks: Omit<CallbackContext, 'verifyJwt' | 'decryptJwe' | 'encryptJwe'> = {
    fetch: fetchFrom(issuer),
    hash: (data) => new Uint8Array(createHash('sha256').update(data).digest()),
    generateRandom: (length) => new Uint8Array(randomBytes(length)),
    clientAuthentication: authentication(issuer, instance),
    signJwt: async (signer, { header, payload }) => {
      const key = keys.find(({ publicJwk }) => signer.method === 'jwk' && publicJwk.x === signer.publicJwk.x)
      if (key === undefined) throw new Error('The wallet has no such key.')
      const jwt = await signCompact(key.signer, { kid: undefined, ...header }, payload)
      return { jwt, signerJwk: jwkOf(key) }
    },
  }
  const client = new Openid4vciClient({ callbacks: callbacks as CallbackContext })
  const dpop = { signer: { method: 'jwk' as const, publicJwk: jwkOf(dpopKey), alg: 'ES256' } }

  /**
   * Takes credentials, beginning with the authorization request. Then takes credentials again with a refreshed token.
   */
  async function takeFrom(credentialOffer: CredentialOfferObject) {
    const issuerMetadata = await client.resolveIssuerMetadata(credentialOffer.credential_issuer)
    const { authorizationRequestUrl, pkce } = await client.createAuthorizationRequestUrlFromOffer({
      credentialOffer,
      issuerMetadata,
      clientId: CLIENT,
      redirectUri: REDIRECT_URI,
      scope: configuration,
      dpop,
    })
    expect([...new URL(authorizationRequestUrl).searchParams.keys()].sort()).toEqual(['client_id', 'request_uri'])
    const browser = newBrowser(issuer.service)
    const { id, page } = await openPage(browser, authorizationRequestUrl)
    const decided = await browser.decide(page, id, 'accept')
    const [authorizationServerMetadata] = issuerMetadata.authorizationServers
    if (authorizationServerMetadata === undefined) throw new Error('There is no authorization server.')
    const response = client.parseAndVerifyAuthorizationResponseRedirectUrl({
      url: decided.headers.get('location') ?? '',
      authorizationServerMetadata,
    })
    if (response.code === undefined) throw new Error(`The wallet was refused: ${JSON.stringify(response)}`)
    const { accessTokenResponse } = await client.retrieveAuthorizationCodeAccessTokenFromOffer({
      credentialOffer,
      issuerMetadata,
      authorizationCode: String(response.code),
      pkceCodeVerifier: pkce?.codeVerifier ?? '',
      redirectUri: REDIRECT_URI,
      dpop,
    })
    const credentials = await take(issuerMetadata, accessTokenResponse.access_token)
    const oauth = new Oauth2Client({ callbacks: callbacks as CallbackContext })
    const refreshed = await oauth.retrieveRefreshTokenAccessToken({
      authorizationServerMetadata,
      refreshToken: accessTokenResponse.refresh_token ?? '',
      dpop,
    })
    const again = await take(issuerMetadata, refreshed.accessTokenResponse.access_token)
    return { tokenType: accessTokenResponse.token_type, credentials: [...credentials, ...again] }
  }

  /** Takes a credential for an attested key. The attestation is in a jwt proof. */
  async function take(
    issuerMetadata: Awaited<ReturnType<typeof client.resolveIssuerMetadata>>,
    accessToken: string,
  ): Promise<string[]> {
    const { c_nonce: nonce } = await client.requestNonce({ issuerMetadata })
    const { jwt } = await client.createCredentialRequestJwtProof({
      issuerMetadata,
      credentialConfigurationId: configuration,
      nonce,
      clientId: CLIENT,
      keyAttestationJwt: await keyAttestationOf([holder], nonce),
      signer: { method: 'jwk', publicJwk: jwkOf(holder), alg: 'ES256' },
    })
    const { credentialResponse } = await client.retrieveCredentials({
      issuerMetadata,
      accessToken,
      credentialConfigurationId: configuration,
      proofs: { jwt: [jwt] },
      dpop,
    })
    return (credentialResponse.credentials ?? []).map((entry) =>
      typeof entry === 'object' && 'credential' in entry ? String(entry.credential) : String(entry),
    )
  }

  return { holder, takeOffer: async (uri: string) => takeFrom(await client.resolveCredentialOffer(uri)), takeFrom }
}
