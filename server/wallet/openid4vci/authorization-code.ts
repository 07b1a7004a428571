import { type AuthorizationServerMetadata, Oauth2Client, type RequestDpopOptions } from '@openid4vc/oauth2'
import { type CredentialOfferObject, extractScopesForCredentialConfigurationIds } from '@openid4vc/openid4vci'
import {
  type AuthorizationResponse,
  AuthorizationResponseError,
  readAuthorizationResponse,
  type SentRequest,
} from '../../protocol/oauth/authorization-response.js'
import { WalletError } from '../exchange/wallet-error.js'
import type { Issuance } from './issuance.js'
import type { Expectation } from './verify-received.js'
import type { WalletClient } from './wallet-client.js'

/** RFC 6749 §10.10: long enough to be unguessable. */
const STATE_BYTES = 32

/** An authorization code with the values that redeem it. */
export interface Authorized {
  readonly credentialOffer: CredentialOfferObject
  readonly authorizationCode: string
  readonly pkceCodeVerifier?: string
  readonly redirectUri: string
}

/** OpenID4VCI 1.0 §5.1.1, §5.1.2: by scope if every configuration has a scope, otherwise by authorization details. */
function requested(
  { metadata }: Issuance,
  configurations: readonly Expectation[],
): { readonly scope?: string; readonly details?: readonly Readonly<Record<string, unknown>>[] } {
  const ids = configurations.map(({ configurationId }) => configurationId)
  const supported = metadata.credentialIssuer.credential_configurations_supported
  if (ids.every((id) => supported[id]?.scope !== undefined)) {
    const named = { credentialConfigurationIds: ids, issuerMetadata: metadata }
    return { scope: extractScopesForCredentialConfigurationIds(named)?.join(' ') ?? '' }
  }
  // §5.1.1: `locations` names the issuer if its metadata lists authorization servers.
  const { authorization_servers: servers, credential_issuer: issuer } = metadata.credentialIssuer
  const details = ids.map((id) => ({
    type: 'openid_credential',
    credential_configuration_id: id,
    ...(servers === undefined ? {} : { locations: [issuer] }),
  }))
  return { details }
}

/** The response of an authorization endpoint without a login: a redirect with the code. */
async function codeOf(
  { fetch }: Issuance,
  server: AuthorizationServerMetadata,
  { url, state, redirectUri }: { readonly url: string; readonly state: string; readonly redirectUri: string },
): Promise<string> {
  const answer = await fetch(url, { redirect: 'manual', headers: { accept: 'text/html' } })
  const location = answer.headers.get('location') ?? ''
  const target = URL.canParse(location, url) ? new URL(location, url) : undefined
  const isAnswer = target?.href.startsWith(`${redirectUri}?`) === true
  if (answer.status < 300 || answer.status > 399 || target === undefined || !isAnswer) {
    throw new WalletError('The authorization server requires a login, which a hosted wallet cannot do.')
  }
  const issSupported = server.authorization_response_iss_parameter_supported === true
  const response = responseIn(target.searchParams, { state, issuer: server.issuer, issSupported })
  if ('code' in response) return response.code
  throw new WalletError(`The authorization server refused the request: ${response.error}`)
}

/**
 * Reads an answer of the authorization server. If the answer is refused, the code of the right answer stays valid, and
 * the request can be repeated.
 */
function responseIn(query: URLSearchParams, request: SentRequest): AuthorizationResponse {
  try {
    return readAuthorizationResponse(query, request)
  } catch (thrown) {
    if (!(thrown instanceof AuthorizationResponseError)) throw thrown
    throw new WalletError(thrown.message, { cause: thrown })
  }
}

/** Dependencies of {@link createAuthorize}. */
export interface AuthorizePorts {
  readonly wallet: Pick<WalletClient, 'id' | 'redirectUri'>
  /** The offered configurations that a hosted wallet can hold. */
  readonly configurationsIn: (issuance: Pick<Issuance, 'offer' | 'metadata'>) => readonly Expectation[]
  readonly random: (length: number) => Uint8Array
}

/**
 * Runs the authorization code flow (OpenID4VCI 1.0 §5) with PKCE, and with a pushed request if the server accepts
 * pushed requests. The flow fails if the server needs a user with a browser. The answer is read from the same
 * connection that carried the request. The answer must still have the `state` of this flow, so that nobody can
 * substitute the code of another flow.
 *
 * @throws WalletError if the server wants a user to log in or refuses, and for an answer of another flow or server.
 */
export type Authorize = ReturnType<typeof createAuthorize>

/** Creates {@link Authorize} from its dependencies. */
export function createAuthorize({ wallet, configurationsIn, random }: AuthorizePorts) {
  return async (
    issuance: Issuance,
    server: AuthorizationServerMetadata,
    dpop: { readonly dpop?: RequestDpopOptions },
  ): Promise<Authorized> => {
    const { callbacks, metadata } = issuance
    // §4.1.1: an offer without grants leaves the choice to the wallet; every server supports the authorization code.
    const credentialOffer = { ...issuance.offer, grants: { authorization_code: {}, ...issuance.offer.grants } }
    const { redirectUri } = wallet
    const state = Buffer.from(random(STATE_BYTES)).toString('base64url')
    const { scope, details } = requested(issuance, configurationsIn(issuance))
    const { issuer_state: issuerState } = credentialOffer.grants.authorization_code ?? {}
    const { authorizationRequestUrl: url, pkce } = await new Oauth2Client({ callbacks }).createAuthorizationRequestUrl({
      authorizationServerMetadata: server,
      clientId: wallet.id,
      redirectUri,
      state,
      // RFC 8707
      resource: metadata.credentialIssuer.credential_issuer,
      ...(scope === undefined ? {} : { scope }),
      additionalRequestPayload: {
        ...(details === undefined ? {} : { authorization_details: details }),
        ...(issuerState === undefined ? {} : { issuer_state: issuerState }),
      },
      ...dpop,
    })
    return {
      credentialOffer,
      authorizationCode: await codeOf(issuance, server, { url, state, redirectUri }),
      redirectUri,
      ...(pkce === undefined ? {} : { pkceCodeVerifier: pkce.codeVerifier }),
    }
  }
}
