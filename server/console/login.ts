import { z } from 'zod'
import { type Context, onlyLooks } from '../api/context.js'
import { errors } from '../api/errors.js'
import { answerAt, isStateOf, type Login, type LoginAnswer, newLogin, SignInError } from '../auth/sign-in.js'
import { isLoopbackName } from '../config/loopback.js'
import type { Deps } from '../deps.js'
import { sha256 } from '../keys/secret-hash.js'
import { cookieHeader, cookieValues } from '../pages/browser-cookie.js'
import { seeOther } from '../pages/page.js'
import { open, seal } from '../protocol/jose/sealed.js'
import type { ProtocolReply } from '../protocol/oauth/reply.js'
import { acceptLogin } from './accept-login.js'
import { homeOf, returnAddress } from './addresses.js'
import { loginPage } from './pages.js'
import { LOGIN_COOKIE } from './sessions/cookies.js'

/** For a login, in seconds: it is sealed into a cookie so long. */
const LOGIN_SECONDS = 600

const zPending = z.strictObject({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** Where the browser goes then. */
  to: z.string(),
  /** Seconds since 1970. */
  exp: z.number(),
})

type Pending = z.infer<typeof zPending>

const callbackOf = ({ issuerBaseUrl }: Deps['config']): string => `${issuerBaseUrl}/console/callback`

const keyOf = (deps: Deps) => deps.sealingKey('console-login')

/** The login that a browser began and that has not run out. */
function pendingOf({ deps, request }: Context): Pending | undefined {
  const [value = '', ...others] = cookieValues(request.headers.cookie, LOGIN_COOKIE, deps.config.issuerBaseUrl)
  const opened = zPending.safeParse(others.length === 0 ? open(keyOf(deps), value) : undefined)
  return opened.success && opened.data.exp * 1000 > deps.clock().getTime() ? opened.data : undefined
}

/** Over plain http a session is for a browser on this very machine, by whatever name it came. */
function isSafe({ deps, request }: Context): boolean {
  const { host = '' } = request.headers
  return deps.config.issuerBaseUrl.startsWith('https:') || isLoopbackName(host.replace(/:\d+$/, ''))
}

/**
 * The login at the base URL, for a browser that came to this very machine by another of its names: the provider sends it back to the base URL,
 * where cookies of that other name are not sent. A proxy may have changed the name that a request has, so that nobody is moved twice.
 */
function atBaseUrl({ deps, request }: Context, { return: to, moved }: LoginInput): string | undefined {
  const base = new URL(deps.config.issuerBaseUrl)
  const { host = '' } = request.headers
  const isOther = base.protocol === 'http:' && host.toLowerCase() !== base.host
  if (!isOther || moved !== undefined) return undefined
  const query = new URLSearchParams({ ...(to === undefined ? {} : { return: to }), moved: '1' })
  return `${deps.config.issuerBaseUrl}/console/login?${query}`
}

/** As a browser sends it. */
interface LoginInput {
  /** An address below the console's; its first page unless given, or where it is another. */
  readonly return?: string | undefined
  /** Whether the browser was sent here from another name of this machine. */
  readonly moved?: string | undefined
}

/** Sends a browser to the identity provider to log in, and back afterwards. */
export async function beginLogin(ctx: Context, sent: LoginInput): Promise<ProtocolReply> {
  const { deps, request } = ctx
  const { config, signIn, random, clock } = deps
  if (config.console === undefined) throw errors.routeNotFound(request.method, request.path)
  if (config.console.mode === 'open') return seeOther(homeOf(config))
  if (signIn === undefined || !isSafe(ctx)) return loginPage(config, 'insecure')
  if (onlyLooks(request)) return seeOther(homeOf(config))
  const elsewhere = atBaseUrl(ctx, sent)
  if (elsewhere !== undefined) return seeOther(elsewhere)
  const login: Login = newLogin(random)
  const exp = Math.floor(clock().getTime() / 1000) + LOGIN_SECONDS
  const pending: Pending = { ...login, to: returnAddress(config, sent.return), exp }
  try {
    const address = await signIn.addressFor(login, callbackOf(config))
    const cookie = cookieHeader(LOGIN_COOKIE, seal(keyOf(deps), pending), config.issuerBaseUrl, LOGIN_SECONDS)
    return seeOther(address.href, { 'set-cookie': cookie })
  } catch (thrown) {
    return failed(ctx, thrown)
  }
}

function failed({ deps, request }: Context, thrown: unknown): ProtocolReply {
  if (!(thrown instanceof SignInError)) throw thrown
  deps.log.warn({ requestId: request.requestId, err: thrown }, 'login of the console failed')
  return loginPage(deps.config, thrown.failure)
}

/**
 * Ends a login: the provider sent the browser back. It must be the browser that began, with the `state` of its login; an answer counts
 * once. Whoever has no role here gets no session.
 */
export async function endLogin(ctx: Context, sent: LoginAnswer): Promise<ProtocolReply> {
  const { deps, request } = ctx
  const { config, signIn, sessions } = deps
  if (config.console?.mode !== 'login' || signIn === undefined || sessions === undefined) {
    throw errors.routeNotFound(request.method, request.path)
  }
  const pending = pendingOf(ctx)
  if (pending === undefined || !isStateOf(pending, sent.state ?? '')) return loginPage(config, 'unknown')
  if (onlyLooks(request)) return seeOther(homeOf(config))
  const { to, exp, ...login } = pending
  if (!(await deps.stores.consoleSessions.useState(sha256(login.state), new Date(exp * 1000)))) {
    return loginPage(config, 'unknown')
  }
  try {
    const { claims, ...tokens } = await signIn.tokens(answerAt(callbackOf(config), sent), login)
    return await acceptLogin({ ...ctx, deps: { ...deps, signIn, sessions } }, tokens, claims, to)
  } catch (thrown) {
    return failed(ctx, thrown)
  }
}
