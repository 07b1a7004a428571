import { z } from 'zod'
import type { Config } from '../../../config/config.js'
import type { Vault } from '../../../keys/vault.js'
import { isPublicClientRedirectUri } from '../../../protocol/oauth/redirect-uri.js'
import type { Authorization, ProvidedClaims, StoredRequest, UsersAuthorization } from './authorization.js'
import type { StoredAuthorization, VisitedAuthorization } from './store.js'

/**
 * Whether a redirect URI is allowed. A known client must use a configured URI. Any other client must use a URI of an allowed
 * form.
 */
export const isRedirectUriOf =
  (config: Pick<Config, 'allowInsecureHttp' | 'walletRedirectUris'>) =>
  (clientId: string, uri: string): boolean =>
    config.walletRedirectUris.get(clientId)?.includes(uri) ?? isPublicClientRedirectUri(uri, config.allowInsecureHttp)

const optional = z.string().optional()

/** An authorization request as it is stored. */
const zStoredRequest = z.object({
  clientId: z.string(),
  redirectUri: z.string(),
  state: optional,
  codeChallenge: z.string(),
  scope: optional,
  authorizationDetails: optional,
  issuerState: optional,
  walletName: optional,
})

const placeOf = (id: string) => ({ column: 'authorizations.parameters', id }) as const

/** Encrypts a request with the vault, because `state` and `issuer_state` are secrets of others. */
export const protectRequest = (
  vault: Pick<Vault, 'protect'>,
  id: string,
  request: StoredRequest & { readonly walletName?: string | undefined },
): Promise<string> => vault.protect(placeOf(id), JSON.stringify(request))

const zProvidedClaims = z.strictObject({
  name: optional,
  made: z.strictObject({ schemaId: z.string(), credentialSubject: z.record(z.string(), z.unknown()) }).optional(),
  signIn: z.record(z.string(), z.unknown()).optional(),
})

const claimsPlaceOf = (id: string) => ({ column: 'authorizations.user_claims', id }) as const

/** Encrypts claims of a user with the vault. */
export const protectClaims = (vault: Pick<Vault, 'protect'>, id: string, provided: ProvidedClaims): Promise<string> =>
  vault.protect(claimsPlaceOf(id), JSON.stringify(provided))

/** Decrypts claims of a user that {@link protectClaims} encrypted. */
export const openedClaims = async (vault: Pick<Vault, 'reveal'>, id: string, stored: string): Promise<ProvidedClaims> =>
  zProvidedClaims.parse(JSON.parse(await vault.reveal(claimsPlaceOf(id), stored)))

/** Decrypts the stored request of an authorization. */
export async function openedRequest(
  vault: Pick<Vault, 'reveal'>,
  id: string,
  parameters: string,
): Promise<Pick<Authorization, 'request' | 'walletName'>> {
  const { state, scope, authorizationDetails, issuerState, walletName, ...request } = zStoredRequest.parse(
    JSON.parse(await vault.reveal(placeOf(id), parameters)),
  )
  return { walletName, request: { ...request, state, scope, authorizationDetails, issuerState } }
}

/** A stored authorization with its decrypted request. */
export async function opened(vault: Pick<Vault, 'reveal'>, stored: StoredAuthorization): Promise<Authorization> {
  const { parameters, codeExpiresAt: _, ...authorization } = stored
  return { ...authorization, ...(await openedRequest(vault, stored.id, parameters)) }
}

/** A stored authorization with its decrypted request and the stored claims of its user. */
export async function openedForUser(
  vault: Pick<Vault, 'reveal'>,
  { login: _, userClaims, ...stored }: VisitedAuthorization,
): Promise<UsersAuthorization> {
  const provided = userClaims === null ? {} : await openedClaims(vault, stored.id, userClaims)
  return { ...(await opened(vault, stored)), provided }
}
