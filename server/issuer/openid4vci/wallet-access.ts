import { bearerToken } from '../../auth/bearer.js'
import type { Config } from '../../config.js'
import { OAuthError, type OAuthErrorCode } from '../../protocol/oauth/error.js'
import { publicProcedure } from '../../trpc.js'
import { sha256 } from './access-token.js'

/**
 * An authorization error with its challenge (RFC 6750 §3).
 *
 * @param sent whether the request had a token: the challenge of one that had none has no error code (§3.1).
 */
export function authorizationError(
  config: Pick<Config, 'issuerBaseUrl'>,
  error: OAuthErrorCode & ('invalid_token' | 'insufficient_scope'),
  description: string,
  sent = true,
): OAuthError {
  const reason = sent ? `, error="${error}", error_description="${description}"` : ''
  return new OAuthError(error, description, {
    status: error === 'insufficient_scope' ? 403 : 401,
    headers: { 'www-authenticate': `Bearer realm="${config.issuerBaseUrl}"${reason}` },
  })
}

/**
 * An access token of this service's own token endpoint, good for one issuance: never one of the identity provider, and
 * never of use on the management API, which knows only the identity provider's.
 */
export const walletProcedure = publicProcedure.use(async ({ ctx, next }) => {
  const { deps, request } = ctx
  const sent = bearerToken(request.headers.authorization)
  if (sent === undefined) throw authorizationError(deps.config, 'invalid_token', 'An access token is needed.', false)
  const token = await deps.stores.openid4vci.token(sha256(sent))
  if (token === undefined || token.tokenExpiresAt <= deps.clock()) {
    throw authorizationError(deps.config, 'invalid_token', 'The access token is unknown or has expired.')
  }
  return next({ ctx: { token } })
})
