import type { Context } from '../api/context.js'
import { ServiceError } from '../api/errors.js'
import type { Caller } from '../auth/caller.js'
import { keptTokenUser } from '../auth/kept-token.js'
import type { SignIn, Tokens, UserClaims } from '../auth/sign-in.js'
import type { Deps } from '../deps.js'
import { seeOther } from '../pages/page.js'
import type { ProtocolReply } from '../protocol/oauth/reply.js'
import { loginPage } from './pages.js'
import { sessionCookie } from './sessions/cookies.js'
import { hasRights } from './sessions/renewal.js'
import type { ConsoleSessions } from './sessions/sessions.js'

/** A context in which users can log in. */
export interface LoginContext extends Context {
  readonly deps: Deps & { readonly signIn: SignIn; readonly sessions: ConsoleSessions }
}

/** A JWT has three parts (RFC 7515 §3.1); whatever else a provider gives says nothing to us. */
const isOpaque = (token: string) => token.split('.').length !== 3

const nameIn = ({ name, preferred_username: other }: UserClaims): string | undefined =>
  [name, other].find((value) => typeof value === 'string' && value !== '') as string | undefined

/** Gives tokens back; what becomes of that is no matter of the browser's. */
export async function revokeTokens({ deps, request }: LoginContext, tokens: Tokens): Promise<void> {
  const { signIn, log } = deps
  const [token, type] =
    tokens.refreshToken === undefined
      ? ([tokens.accessToken, 'access_token'] as const)
      : ([tokens.refreshToken, 'refresh_token'] as const)
  await signIn.revoke(token, type).catch((err: unknown) => {
    log.warn({ requestId: request.requestId, err }, 'tokens of the console not revoked')
  })
}

/** Makes a session of what the provider gave, where its access token is one for here, and its user has a role. */
export async function acceptLogin(
  ctx: LoginContext,
  tokens: Tokens,
  claims: UserClaims,
  to: string,
): Promise<ProtocolReply> {
  const { deps, request } = ctx
  const { config, sessions, tokens: check, log } = deps
  let caller: Caller
  try {
    caller = await keptTokenUser(check, tokens.accessToken)
  } catch (thrown) {
    if (!(thrown instanceof ServiceError)) throw thrown
    log.warn({ requestId: request.requestId, err: thrown }, 'access token of a login not accepted')
    await revokeTokens(ctx, tokens)
    if (thrown.status !== 401) return loginPage(config, 'unavailable')
    return loginPage(config, isOpaque(tokens.accessToken) ? 'opaque' : 'notAccepted')
  }
  if (!hasRights(caller, config)) {
    await revokeTokens(ctx, tokens)
    return loginPage(config, 'noRole')
  }
  const value = await sessions.begin(request.headers, tokens, caller, nameIn(claims))
  return seeOther(to, { 'set-cookie': sessionCookie(value, config.issuerBaseUrl) })
}
