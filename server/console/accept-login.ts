import type { RequestFacts } from '../api/context.js'
import { ServiceError } from '../api/errors.js'
import type { TokenCheck } from '../auth/access.js'
import type { Caller } from '../auth/caller.js'
import { keptTokenUser } from '../auth/kept-token.js'
import type { SignIn, Tokens, UserClaims } from '../auth/sign-in.js'
import type { Config } from '../config/config.js'
import type { Log } from '../log/log.js'
import { seeOther } from '../pages/page.js'
import type { ProtocolReply } from '../protocol/oauth/reply.js'
import { loginPage, noRolePage } from './pages.js'
import { sessionCookie } from './sessions/cookies.js'
import { hasRights } from './sessions/renewal.js'
import type { ConsoleSessions } from './sessions/sessions.js'

/**
 * True if a token is not a JWT. A JWT has three parts (RFC 7515 §3.1). This service cannot read tokens that are not
 * JWTs.
 */
const isOpaque = (token: string) => token.split('.').length !== 3

const nameIn = ({ name, preferred_username: other }: UserClaims): string | undefined =>
  [name, other].find((value) => typeof value === 'string' && value !== '') as string | undefined

/** Revokes tokens at the identity provider. Never rejects, because the answer to the browser does not depend on it. */
export type RevokeTokens = (requestId: string, tokens: Tokens) => Promise<void>

/** Makes {@link RevokeTokens}. */
export const createRevokeTokens =
  (signIn: Pick<SignIn, 'revoke'>, log: Pick<Log, 'warn'>): RevokeTokens =>
  async (requestId, tokens) => {
    const [token, type] =
      tokens.refreshToken === undefined
        ? ([tokens.accessToken, 'access_token'] as const)
        : ([tokens.refreshToken, 'refresh_token'] as const)
    await signIn.revoke(token, type).catch((err: unknown) => {
      log.warn({ requestId, err }, 'tokens of the console not revoked')
    })
  }

/** Dependencies of {@link createAcceptLogin}. */
export interface AcceptLoginPorts {
  readonly config: Pick<Config, 'issuerBaseUrl' | 'adminRole' | 'issuerRole' | 'verifierRole' | 'signIn'>
  readonly sessions: Pick<ConsoleSessions, 'begin'>
  readonly tokens: Pick<TokenCheck, 'user'>
  readonly revoke: RevokeTokens
  readonly log: Pick<Log, 'warn'>
}

/** Creates a console session from the provider's answer, and redirects the browser. */
export type AcceptLogin = ReturnType<typeof createAcceptLogin>

/** Accepts logins with an access token that this service accepts, of users with a role. */
export const createAcceptLogin =
  ({ config, sessions, tokens: check, revoke, log }: AcceptLoginPorts) =>
  async (request: RequestFacts, tokens: Tokens, claims: UserClaims, to: string): Promise<ProtocolReply> => {
    const { requestId, headers } = request
    let caller: Caller
    try {
      caller = await keptTokenUser(check, tokens.accessToken)
    } catch (thrown) {
      if (!(thrown instanceof ServiceError)) throw thrown
      log.warn({ requestId, err: thrown }, 'access token of a login not accepted')
      await revoke(requestId, tokens)
      if (thrown.status !== 401) return loginPage(config, request, 'unavailable')
      return loginPage(config, request, isOpaque(tokens.accessToken) ? 'opaque' : 'notAccepted')
    }
    if (!hasRights(caller, config)) {
      await revoke(requestId, tokens)
      return noRolePage(config, request, nameIn(claims))
    }
    const value = await sessions.begin(headers, tokens, caller, nameIn(claims))
    return seeOther(to, { 'set-cookie': sessionCookie(value, config.issuerBaseUrl) })
  }
