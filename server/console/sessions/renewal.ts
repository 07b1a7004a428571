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

/** Tokens are renewed this long before they run out. */
const MARGIN_MS = 5_000
/** For how long a process has the renewal: longer than its two requests to the provider may take, of which one asks what it knows. */
const RENEWAL_MS = 25_000
/** How often, and for how long, others look whether it is done. */
const LOOK_EVERY_MS = 100
const WAIT_MS = 12_000

/** A session lasts no longer, whatever is done. */
export const LONGEST_MS = 12 * 60 * 60_000

/** What the sessions of the console work with. */
export interface SessionParts {
  readonly config: Config
  readonly store: ConsoleSessionStore
  readonly vault: Vault
  readonly signIn: SignIn
  readonly tokens: Pick<TokenCheck, 'user'>
  readonly clock: () => Date
  readonly random: (length: number) => Uint8Array
  readonly newId: () => string
  readonly sealingKey: (label: string) => Uint8Array
  readonly log: Log
}

/**
 * When an access token runs out, and its session with it where it cannot be renewed; both at `latest` at the latest, since `exp` is any
 * number that the provider writes (RFC 7519 §4.1.4), beyond what a date can be too.
 */
export function endsWith(caller: Caller, refreshToken: string | undefined, latest: Date) {
  const accessExpiresAt = new Date(Math.min(caller.expiresAt ?? 0, latest.getTime()))
  return { accessExpiresAt, endsAt: refreshToken === undefined ? accessExpiresAt : latest }
}

/** Whether a user may anything in the console. */
export function hasRights(caller: Caller, config: Pick<Config, 'issuerRole' | 'verifierRole'>): boolean {
  const { isAdmin, mayIssue, mayVerify } = rightsOf(caller.roles, config)
  return isAdmin || mayIssue || mayVerify
}

/**
 * Gives sessions whose access token can be used: it is renewed before it runs out, by one process at a time, since a provider that replaces
 * refresh tokens takes a second use of one for theft.
 */
export function createRenewal({ config, store, vault, signIn, tokens, clock, newId, log }: SessionParts) {
  /** Renewals of this process under way. */
  const underWay = new Map<string, Promise<StoredSession>>()

  async function end(idHash: string, reason: unknown): Promise<never> {
    await store.end(idHash)
    throw errors.sessionEnded(reason)
  }

  /** The provider's new tokens. The refresh token is stored before they are checked: the one before it is good no more. */
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

  /** Whose a new access token is. It must be the user's who logged in, and they must have a role still. */
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
   * The session with an access token that can be used.
   *
   * @throws 401 where it ended, 503 where the provider is away and the token has run out
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

/** The `sub` of a stored access token, which was verified before it was stored. */
function subOf(accessToken: string): string {
  const [, payload = ''] = accessToken.split('.')
  const { sub }: { sub?: unknown } = JSON.parse(Buffer.from(payload, 'base64url').toString())
  if (typeof sub !== 'string') throw new ServiceError(401, 'Invalid access token.')
  return sub
}
