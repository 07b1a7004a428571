import { bearerToken } from '../../auth/bearer.js'
import { OAuthError } from '../../protocol/oauth/error.js'
import { publicProcedure } from '../../trpc.js'
import { sha256 } from './access-token.js'

/** RFC 6750 §3: without a token the challenge has no error code, with a bad one it has. */
const refusal = (description: string, code?: 'invalid_token') =>
  new OAuthError('invalid_token', description, {
    status: 401,
    headers: { 'www-authenticate': code === undefined ? 'Bearer' : `Bearer error="${code}"` },
  })

/**
 * An access token of this service's own token endpoint, good for one issuance: never one of the identity provider, and
 * never of use on the management API, which knows only the identity provider's.
 */
export const walletProcedure = publicProcedure.use(async ({ ctx, next }) => {
  const sent = bearerToken(ctx.request.headers.authorization?.replace(/^DPoP /i, 'Bearer '))
  if (sent === undefined) throw refusal('An access token is needed.')
  const token = await ctx.deps.stores.issuing.token(sha256(sent))
  if (token === undefined || token.tokenExpiresAt <= ctx.deps.clock()) {
    throw refusal('The access token is unknown or has expired.', 'invalid_token')
  }
  return next({ ctx: { ...ctx, token } })
})
