import { onlyLooks, type RequestFacts } from '../api/context.js'
import { errors } from '../api/errors.js'
import type { SignIn } from '../auth/sign-in.js'
import type { Config } from '../config/config.js'
import type { Log } from '../log/log.js'
import type { RevokeTokens } from './accept-login.js'
import { callbackOf } from './addresses.js'
import { noSessionCookie } from './sessions/cookies.js'
import type { ConsoleSessions } from './sessions/sessions.js'

/** Dependencies of {@link createLogOut}; `users` is undefined if users cannot sign in. */
export interface LogOutPorts {
  readonly config: Pick<Config, 'console' | 'issuerBaseUrl'>
  readonly users:
    | {
        readonly sessions: Pick<ConsoleSessions, 'end'>
        readonly signIn: Pick<SignIn, 'endSession'>
        readonly revoke: RevokeTokens
      }
    | undefined
  readonly log: Pick<Log, 'warn'>
}

/**
 * Ends the session of a request in this service, then revokes its tokens at the provider.
 *
 * @returns the provider's address where the browser ends its session, null for a provider without such an address; and
 *   the cookie to set
 * @throws 401 without a session
 */
export const createLogOut =
  ({ config, users, log }: LogOutPorts) =>
  async (request: RequestFacts): Promise<{ readonly location: string | null; readonly cookie: string }> => {
    if (config.console === undefined) throw errors.routeNotFound(request.method, request.path)
    if (users === undefined || onlyLooks(request)) throw errors.unauthorized()
    const content = await users.sessions.end(request.headers)
    if (content === undefined) throw errors.unauthorized()
    const { accessToken, refreshToken } = content
    await users.revoke(request.requestId, { accessToken, refreshToken })
    const location = await users.signIn.endSession(callbackOf(config)).then(
      (address) => address?.href ?? null,
      (err: unknown) => {
        log.warn({ requestId: request.requestId, err }, 'end of the session at the identity provider is not known')
        return null
      },
    )
    return { location, cookie: noSessionCookie(config.issuerBaseUrl) }
  }
