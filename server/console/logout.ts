import { type Context, onlyLooks } from '../api/context.js'
import { errors } from '../api/errors.js'
import { revokeTokens } from './accept-login.js'
import { noSessionCookie } from './sessions/cookies.js'

/**
 * Ends the session of a request: here at once, then at the provider, whose tokens are revoked.
 *
 * @returns where the browser ends its session at the provider; null where that has no such address, or is away
 * @throws 401 where there is no session
 */
export async function logOut(ctx: Context): Promise<string | null> {
  const { deps, request, responseHeaders } = ctx
  const { config, signIn, sessions, log } = deps
  if (config.console === undefined) throw errors.routeNotFound(request.method, request.path)
  if (signIn === undefined || sessions === undefined || onlyLooks(request)) throw errors.unauthorized()
  const content = await sessions.end(request.headers)
  if (content === undefined) throw errors.unauthorized()
  responseHeaders.set('set-cookie', noSessionCookie(config.issuerBaseUrl))
  const { accessToken, refreshToken } = content
  await revokeTokens({ ...ctx, deps: { ...deps, signIn, sessions } }, { accessToken, refreshToken })
  return signIn.endSession().then(
    (address) => address?.href ?? null,
    (err: unknown) => {
      log.warn({ requestId: request.requestId, err }, 'end of the session at the identity provider is not known')
      return null
    },
  )
}
