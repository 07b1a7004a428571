import { setTimeout as sleep } from 'node:timers/promises'
import { errors, ServiceError } from '../../api/errors.js'
import type { TokenCheck } from '../../auth/access.js'
import type { Caller } from '../../auth/caller.js'
import { keptTokenUser } from '../../auth/kept-token.js'
import { rightsOf } from '../../auth/rights.js'
import { type SignIn, SignInError } from '../../auth/sign-in.js'
import type { Config } from '../../config/config.js'
import type { Vault } from '../../keys/vault.js'
import type { Log } from '../../log/log.js'
import { contentOf, protectContent, revealContent, type SessionContent } from './content.js'
import type { ConsoleSessionStore, StoredSession } from './store.js'

/** An access token is renewed this time before it expires. */
const MARGIN_MS = 5_000
/**
 * Time for which a process reserves the renewal of a session's tokens. It is longer than the time limits of the two
 * requests that a renewal may need: for metadata and for tokens.
 */
const RENEWAL_MS = 25_000
/** How often the other processes check whether the renewal is complete, and how long they wait for it. */
const LOOK_EVERY_MS = 100
const WAIT_MS = 12_000

/** Maximum duration of a session. */
export const LONGEST_MS = 12 * 60 * 60_000

/** Dependencies of {@link createRenewal}. */
export interface RenewalPorts {
  readonly config: Pick<Config, 'issuerRole' | 'verifierRole'>
  readonly store: ConsoleSessionStore
  readonly vault: Vault
  readonly signIn: Pick<SignIn, 'refresh'>
  readonly tokens: Pick<TokenCheck, 'user'>
  readonly clock: () => Date
  readonly newId: () => string
  readonly log: Pick<Log, 'warn'>
}

/**
 * Returns when an access token expires, and when its session ends. A session without a refresh token ends with its
 * access token. `latest` limits both times: the provider's `exp` can be any number (RFC 7519 §4.1.4), even a number
 * that no date can express.
 */
export function endsWith(caller: Caller, refreshToken: string | undefined, latest: Date) {
  const accessExpiresAt = new Date(Math.min(caller.expiresAt ?? 0, latest.getTime()))
  return { accessExpiresAt, endsAt: refreshToken === undefined ? accessExpiresAt : latest }
}

/** True if the user has any right in the console. */
export function hasRights(caller: Caller, config: Pick<Config, 'issuerRole' | 'verifierRole'>): boolean {
  const { isAdmin, mayIssue, mayVerify } = rightsOf(caller.roles, config)
  return isAdmin || mayIssue || mayVerify
}

/**
 * Returns sessions with a usable access token, which is renewed before it expires. Only one process renews the tokens
 * of a session at a time, because a provider that replaces refresh tokens treats a second use of a token as theft.
 */
export function createRenewal({ config, store, vault, signIn, tokens, clock, newId, log }: RenewalPorts) {
  /** Renewals in progress in this process. */
  const underWay = new Map<string, Promise<StoredSession>>()

  async function end(idHash: string, reason: unknown): Promise<never> {
    await store.end(idHash)
    throw errors.sessionEnded(reason)
  }

  /**
   * Gets new tokens from the provider. The new refresh token is stored before the access token is checked, because the
   * former refresh token is no longer valid.
   */
  async function fetched({ idHash }: StoredSession, renewal: string, former: SessionContent, refreshToken: string) {
    const given = await signIn.refresh(refreshToken).catch((thrown: unknown) => {
      if (thrown instanceof SignInError && thrown.failure !== 'unavailable') return end(idHash, thrown)
      throw thrown
    })
    if (given.refreshToken !== refreshToken) {
      const kept = contentOf({ ...given, accessToken: former.accessToken }, former.name)
      await store.keep(idHash, renewal, await protectContent(vault, idHash, kept))
    }
    return given
  }

  /** Returns the user of a new access token. It must be the user who signed in, and the user must still have a role. */
  async function checked(idHash: string, accessToken: string, sub: string): Promise<Caller> {
    const caller = await keptTokenUser(tokens, accessToken).catch((thrown: unknown) => {
      if (thrown instanceof ServiceError && thrown.status === 401) return end(idHash, thrown)
      throw thrown
    })
    if (caller.sub !== sub) return end(idHash, new Error('The new access token is of another user.'))
    if (!hasRights(caller, config)) return end(idHash, new Error('The user has no role any more.'))
    return caller
  }

  async function renewed(session: StoredSession, renewal: string): Promise<StoredSession> {
    const { idHash, endsAt } = session
    try {
      const content = await revealContent(vault, idHash, session.content)
      if (content.refreshToken === undefined) return await end(idHash, undefined)
      const given = await fetched(session, renewal, content, content.refreshToken)
      const caller = await checked(idHash, given.accessToken, subOf(content.accessToken))
      const granted = {
        content: await protectContent(vault, idHash, contentOf(given, content.name)),
        ...endsWith(caller, given.refreshToken, endsAt),
      }
      return (await store.renew(idHash, renewal, granted, clock())) ?? (await end(idHash, undefined))
    } catch (thrown) {
      await store.leaveRenewal(idHash, renewal)
      const isOver = thrown instanceof ServiceError && thrown.status === 401
      if (!isOver && session.accessExpiresAt > clock()) return session
      if (!(thrown instanceof SignInError)) throw thrown
      log.warn({ err: thrown }, 'session of the console not renewed')
      throw errors.identityProviderUnavailable(thrown)
    }
  }

  /** Waits for the process that renews. */
  async function awaited(session: StoredSession): Promise<StoredSession> {
    if (session.accessExpiresAt > clock()) return session
    const until = performance.now() + WAIT_MS
    while (performance.now() < until) {
      await sleep(LOOK_EVERY_MS)
      const now = await store.find(session.idHash, clock())
      if (now === undefined) throw errors.sessionEnded()
      if (now.accessExpiresAt > session.accessExpiresAt) return now
      const renewal = await taken(now)
      if (renewal !== undefined) return renewed(now, renewal)
    }
    throw errors.identityProviderUnavailable()
  }

  async function taken(session: StoredSession): Promise<string | undefined> {
    const [renewal, now] = [newId(), clock()]
    const until = new Date(now.getTime() + RENEWAL_MS)
    return (await store.takeRenewal(session, renewal, until, now)) ? renewal : undefined
  }

  async function renew(session: StoredSession): Promise<StoredSession> {
    const renewal = await taken(session)
    return renewal === undefined ? awaited(session) : renewed(session, renewal)
  }

  /**
   * Returns the session with a usable access token.
   *
   * @throws 401 if the session has ended; 503 if the provider is unreachable and the token has expired
   */
  return async (session: StoredSession): Promise<StoredSession> => {
    if (session.accessExpiresAt.getTime() - clock().getTime() > MARGIN_MS) return session
    const { idHash } = session
    const known = underWay.get(idHash)
    if (known !== undefined) return known
    const made = renew(session).finally(() => underWay.delete(idHash))
    underWay.set(idHash, made)
    return made
  }
}

/** Returns the `sub` of a stored access token. The token was verified before it was stored. */
function subOf(accessToken: string): string {
  const [, payload = ''] = accessToken.split('.')
  const { sub }: { sub?: unknown } = JSON.parse(Buffer.from(payload, 'base64url').toString())
  if (typeof sub !== 'string') throw new ServiceError(401, 'Invalid access token.')
  return sub
}
