import { z } from 'zod'
import { onlyLooks, type RequestFacts } from '../api/context.js'
import { errors } from '../api/errors.js'
import {
  answerAt,
  isStateOf,
  type Login,
  type LoginAnswer,
  newLogin,
  type SignIn,
  SignInError,
} from '../auth/sign-in.js'
import type { Config } from '../config/config.js'
import { isLoopbackName } from '../config/loopback.js'
import { sha256 } from '../keys/secret-hash.js'
import type { Log } from '../log/log.js'
import { cookieHeader, cookieValues } from '../pages/browser-cookie.js'
import { seeOther } from '../pages/page.js'
import { open, seal } from '../protocol/jose/sealed.js'
import type { ProtocolReply } from '../protocol/oauth/reply.js'
import type { AcceptLogin } from './accept-login.js'
import { callbackOf, homeOf, returnAddress } from './addresses.js'
import { loginPage } from './pages.js'
import { LOGIN_COOKIE } from './sessions/cookies.js'
import type { ConsoleSessionStore } from './sessions/store.js'

/** Time limit of a login, in seconds. The cookie of the login is valid for this time. */
const LOGIN_SECONDS = 600

const zPending = z.strictObject({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** The browser's address after the login. */
  to: z.string(),
  /** Seconds since 1970. */
  exp: z.number(),
})

type Pending = z.infer<typeof zPending>

/** The query parameters of the request with which a browser begins a login. */
export interface LoginInput {
  /**
   * The address in the console to which the browser wants to go after the login. If it is missing or not in the
   * console, the first page of the console is used.
   */
  readonly return?: string | undefined
  /** Set if the browser was redirected to this address from a different host name of this machine. */
  readonly moved?: string | undefined
  /** `other` if the user wants to choose an account at the provider. */
  readonly account?: 'other' | undefined
}

/** Dependencies of {@link createLogin}. */
export interface LoginPorts {
  readonly config: Pick<Config, 'console' | 'issuerBaseUrl'>
  /** Undefined without a configured sign-in. */
  readonly signIn: Pick<SignIn, 'addressFor' | 'tokens'> | undefined
  /** Undefined if users cannot sign in. */
  readonly accept: AcceptLogin | undefined
  /** Accepts each `state` once. */
  readonly useState: ConsoleSessionStore['useState']
  /** The key that encrypts the data of a login in the browser's cookie. */
  readonly key: Uint8Array
  readonly clock: () => Date
  readonly random: (length: number) => Uint8Array
  readonly log: Pick<Log, 'warn'>
}

/** Makes the login of browsers at the identity provider. */
export function createLogin({ config, signIn, accept, useState, key, clock, random, log }: LoginPorts) {
  const { issuerBaseUrl } = config

  /** Returns the login that a browser has begun, if it has not expired. */
  function pendingOf({ headers }: RequestFacts): Pending | undefined {
    const [value = '', ...others] = cookieValues(headers.cookie, LOGIN_COOKIE, issuerBaseUrl)
    const opened = zPending.safeParse(others.length === 0 ? open(key, value) : undefined)
    return opened.success && opened.data.exp * 1000 > clock().getTime() ? opened.data : undefined
  }

  /** Over plain http, only browsers on this machine get a session. They may use any host name of this machine. */
  function isSafe({ headers: { host = '' } }: RequestFacts): boolean {
    return issuerBaseUrl.startsWith('https:') || isLoopbackName(host.replace(/:\d+$/, ''))
  }

  /**
   * Returns the address of the login at the base URL, for a browser that used a different host name of this machine.
   * The provider will send the browser back to the base URL, and there the browser does not send cookies of a different
   * host name. A browser is redirected only once, because a proxy may change the host name of each request.
   */
  function atBaseUrl(
    { headers: { host = '' } }: RequestFacts,
    { return: to, moved, account }: LoginInput,
  ): string | undefined {
    const base = new URL(issuerBaseUrl)
    const isOther = base.protocol === 'http:' && host.toLowerCase() !== base.host
    if (!isOther || moved !== undefined) return undefined
    const query = new URLSearchParams({
      ...(to === undefined ? {} : { return: to }),
      ...(account === undefined ? {} : { account }),
      moved: '1',
    })
    return `${issuerBaseUrl}/console/login?${query}`
  }

  function failed(request: RequestFacts, thrown: unknown): ProtocolReply {
    if (!(thrown instanceof SignInError)) throw thrown
    log.warn({ requestId: request.requestId, err: thrown }, 'login of the console failed')
    return loginPage(config, request, thrown.failure)
  }

  return {
    /** Sends a browser to the identity provider, where the user signs in and returns. */
    async begin(request: RequestFacts, sent: LoginInput): Promise<ProtocolReply> {
      if (config.console === undefined) throw errors.routeNotFound(request.method, request.path)
      if (config.console.mode === 'open') return seeOther(homeOf(config))
      if (signIn === undefined || !isSafe(request)) return loginPage(config, request, 'insecure')
      if (onlyLooks(request)) return seeOther(homeOf(config))
      const elsewhere = atBaseUrl(request, sent)
      if (elsewhere !== undefined) return seeOther(elsewhere)
      const login: Login = newLogin(random)
      const exp = Math.floor(clock().getTime() / 1000) + LOGIN_SECONDS
      const pending: Pending = { ...login, to: returnAddress(config, sent.return), exp }
      try {
        const address = await signIn.addressFor(login, callbackOf(config), sent.account === 'other')
        const cookie = cookieHeader(LOGIN_COOKIE, seal(key, pending), issuerBaseUrl, LOGIN_SECONDS)
        return seeOther(address.href, { 'set-cookie': cookie })
      } catch (thrown) {
        return failed(request, thrown)
      }
    },

    /**
     * Completes a login after the provider has sent the browser back. The same browser must have begun the login, with
     * the same `state`. Each answer is accepted only once. A user without a role in this service gets no session.
     * A browser that returns after a sign-out sees the first page of the console.
     */
    async end(request: RequestFacts, sent: LoginAnswer): Promise<ProtocolReply> {
      if (config.console?.mode !== 'login' || signIn === undefined || accept === undefined) {
        throw errors.routeNotFound(request.method, request.path)
      }
      // The provider sends a browser back without parameters after a sign-out.
      if (Object.values(sent).every((value) => value === undefined)) return seeOther(homeOf(config))
      const pending = pendingOf(request)
      if (pending === undefined || !isStateOf(pending, sent.state ?? '')) return loginPage(config, request, 'unknown')
      if (onlyLooks(request)) return seeOther(homeOf(config))
      const { to, exp, ...login } = pending
      if (!(await useState(sha256(login.state), new Date(exp * 1000)))) return loginPage(config, request, 'unknown')
      try {
        const { claims, ...tokens } = await signIn.tokens(answerAt(callbackOf(config), sent), login)
        return await accept(request, tokens, claims, to)
      } catch (thrown) {
        return failed(request, thrown)
      }
    },
  }
}
