import type { AuthorizationServerMetadata, RequestDpopOptions } from '@openid4vc/oauth2'
import { type CredentialOfferObject, extractScopesForCredentialConfigurationIds } from '@openid4vc/openid4vci'
import type { Deps } from '../../deps.js'
import { clientIdOf } from '../protocol/client-authentication.js'
import { WalletError } from '../protocol/wallet-error.js'
import type { Issuance } from './issuance.js'
import { offeredConfigurations } from './offered-configurations.js'

/** A code with what is needed to redeem it. */
export interface Authorized {
  readonly credentialOffer: CredentialOfferObject
  readonly authorizationCode: string
  readonly pkceCodeVerifier?: string
  readonly redirectUri: string
}

/** The redirect URI of the wallet. Nothing listens there: the redirect is read and not followed. */
const redirectUriOf = (deps: Pick<Deps, 'config'>) => `${deps.config.issuerBaseUrl}/openid4vci/wallet`

/** OpenID4VCI 1.0 §5.1.1, §5.1.2: by scope where every configuration has one, else by authorization details. */
function requested(deps: Pick<Deps, 'config' | 'formats'>, { offer, metadata }: Issuance) {
  const ids = offeredConfigurations(deps, offer, metadata).map(({ configurationId }) => configurationId)
  const supported = metadata.credentialIssuer.credential_configurations_supported
  if (ids.every((id) => supported[id]?.scope !== undefined)) {
    const named = { credentialConfigurationIds: ids, issuerMetadata: metadata }
    return { scope: extractScopesForCredentialConfigurationIds(named)?.join(' ') ?? '' }
  }
  // §5.1.1: `locations` names the issuer where its metadata lists authorization servers.
  const { authorization_servers: servers, credential_issuer: issuer } = metadata.credentialIssuer
  const details = ids.map((id) => ({
    type: 'openid_credential',
    credential_configuration_id: id,
    ...(servers === undefined ? {} : { locations: [issuer] }),
  }))
  return { additionalRequestPayload: { authorization_details: details } }
}

/** The response of an authorization endpoint that needs no login: a redirect with the code. */
async function codeOf(
  deps: Deps,
  issuance: Issuance,
  server: AuthorizationServerMetadata,
  url: string,
): Promise<string> {
  const answer = await issuance.fetch(url, { redirect: 'manual', headers: { accept: 'text/html' } })
  const location = answer.headers.get('location') ?? ''
  const target = URL.canParse(location, url) ? new URL(location, url).href : ''
  if (answer.status < 300 || answer.status > 399 || !target.startsWith(`${redirectUriOf(deps)}?`)) {
    throw new WalletError('The authorization server asks its user to log in, which a hosted wallet cannot do.')
  }
  // RFC 9207 §2.4: the answer must come from the server that was asked.
  const response = issuance.client.parseAndVerifyAuthorizationResponseRedirectUrl({
    url: target,
    authorizationServerMetadata: server,
  })
  if (typeof response.code === 'string') return response.code
  throw new WalletError(`The authorization server refused the request: ${String(response.error)}`)
}

/**
 * Runs the authorization code flow (OpenID4VCI 1.0 §5) with PKCE, and with a pushed request where the server takes one,
 * as far as it goes without a user in front of a browser. The answer is read off the very connection that the request
 * went out on, so that no `state` is needed to tie the two together.
 *
 * @throws WalletError where the server wants a user to log in, or refuses.
 */
export async function authorize(
  deps: Deps,
  issuance: Issuance,
  server: AuthorizationServerMetadata,
  dpop: { readonly dpop?: RequestDpopOptions },
): Promise<Authorized> {
  const { client, metadata } = issuance
  // §4.1.1: an offer without grants leaves the choice to the wallet; every server supports the authorization code.
  const credentialOffer = { ...issuance.offer, grants: { authorization_code: {}, ...issuance.offer.grants } }
  const redirectUri = redirectUriOf(deps)
  const { authorizationRequestUrl, pkce } = await client.createAuthorizationRequestUrlFromOffer({
    clientId: clientIdOf(deps),
    redirectUri,
    credentialOffer,
    issuerMetadata: metadata,
    ...requested(deps, issuance),
    ...dpop,
  })
  return {
    credentialOffer,
    authorizationCode: await codeOf(deps, issuance, server, authorizationRequestUrl),
    redirectUri,
    ...(pkce === undefined ? {} : { pkceCodeVerifier: pkce.codeVerifier }),
  }
}
