import type { IncomingHttpHeaders } from 'node:http'
import { errors } from '../../api/errors.js'
import type { ProvenSession, ProvenSessions } from '../../auth/access.js'
import type { Caller } from '../../auth/caller.js'
import type { Tokens } from '../../auth/sign-in.js'
import type { Config } from '../../config/config.js'
import { sha256 } from '../../keys/secret-hash.js'
import type { Vault } from '../../keys/vault.js'
import { LruMap } from '../../protocol/jose/lru-map.js'
import { contentOf, protectContent, revealContent, type SessionContent } from './content.js'
import { isOfConsole, sealedId, sessionIdIn } from './cookies.js'
import { endsWith, LONGEST_MS } from './renewal.js'
import { type ConsoleSessionStore, SEEN_EVERY_MS, type StoredSession } from './store.js'

/**
 * Maximum number of ids of ended sessions in memory. An ended session never becomes active again, so no statement is
 * needed for such an id.
 */
const MAX_ENDED = 10_000
/**
 * A stream with a console session ends after this time. The client opens a new stream, for which the session is checked
 * again.
 */
const STREAM_MS = 60_000

/** The result of looking up a request's cookie. */
type Found = StoredSession | 'none' | 'ended'

/** The console sessions. */
export interface ConsoleSessions extends ProvenSessions {
  /** Returns a name for the session of a request, for the rate limit. Undefined without an active session. */
  counted(headers: IncomingHttpHeaders): Promise<string | undefined>
  /** Returns the session of a request, and its content with the user's name. Undefined without an active session. */
  described(headers: IncomingHttpHeaders): Promise<{ session: StoredSession; content: SessionContent } | undefined>
  /**
   * Begins a session with a new id, and ends the session that the browser had before.
   *
   * @param caller the user of the access token
   * @returns the cookie's value
   */
  begin(headers: IncomingHttpHeaders, tokens: Tokens, caller: Caller, name: string | undefined): Promise<string>
  /** Ends the session of a request. @returns the tokens to revoke; undefined if there was no session. */
  end(headers: IncomingHttpHeaders): Promise<SessionContent | undefined>
}

/** Dependencies of {@link createConsoleSessions}. */
export interface ConsoleSessionsPorts {
  readonly config: Pick<Config, 'issuerBaseUrl'>
  readonly store: Pick<ConsoleSessionStore, 'begin' | 'end' | 'find' | 'seen'>
  readonly vault: Vault
  /** Returns a session with a usable access token, which is renewed if it expires soon. */
  readonly usable: (session: StoredSession) => Promise<StoredSession>
  /** The key of 32 bytes for the MACs in session cookies. */
  readonly key: Uint8Array
  readonly clock: () => Date
  readonly random: (length: number) => Uint8Array
}

export function createConsoleSessions({
  config,
  store,
  vault,
  usable,
  key,
  clock,
  random,
}: ConsoleSessionsPorts): ConsoleSessions {
  const baseUrl = config.issuerBaseUrl
  const ownOrigin = new URL(baseUrl).origin
  const ended = new LruMap<string, true>(MAX_ENDED)
  /** The result of the lookup for each request. The rate limit and all calls of a batch share it. */
  const known = new WeakMap<object, Promise<Found>>()

  async function looked(headers: IncomingHttpHeaders): Promise<Found> {
    // A request with an Authorization header is authenticated by its token and does not use the session.
    if (headers.authorization !== undefined || !isOfConsole(headers, ownOrigin)) return 'none'
    const id = sessionIdIn(headers, key, baseUrl)
    if (id === undefined) return 'none'
    const idHash = sha256(id)
    if (id === 'forged' || ended.get(idHash) !== undefined) return 'ended'
    const session = await store.find(idHash, clock())
    if (session === undefined) ended.set(idHash, true)
    return session ?? 'ended'
  }

  function found(headers: object): Promise<Found> {
    const before = known.get(headers)
    if (before !== undefined) return before
    const made = looked(headers as IncomingHttpHeaders)
    known.set(headers, made)
    return made
  }

  async function proven(sent: object, isActivity: boolean): Promise<ProvenSession | undefined> {
    const session = await found(sent)
    if (session === 'none') return undefined
    if (session === 'ended') throw errors.sessionEnded()
    const now = clock()
    if (isActivity && now.getTime() - session.lastSeenAt.getTime() >= SEEN_EVERY_MS)
      await store.seen(session.idHash, now)
    const current = await usable(session)
    const { accessToken } = await revealContent(vault, current.idHash, current.content)
    return { accessToken, until: new Date(Math.min(current.endsAt.getTime(), now.getTime() + STREAM_MS)) }
  }

  return {
    proven,

    async counted(headers) {
      const session = await found(headers)
      return typeof session === 'string' ? undefined : session.idHash
    },

    async described(headers) {
      const session = await found(headers)
      if (typeof session === 'string') return undefined
      return { session, content: await revealContent(vault, session.idHash, session.content) }
    },

    async begin(headers, tokens, caller, name) {
      const id = Buffer.from(random(32)).toString('base64url')
      const idHash = sha256(id)
      const now = clock()
      const former = sessionIdIn(headers, key, baseUrl)
      const granted = {
        content: await protectContent(vault, idHash, contentOf(tokens, name)),
        ...endsWith(caller, tokens.refreshToken, new Date(now.getTime() + LONGEST_MS)),
      }
      await store.begin(idHash, former === undefined || former === 'forged' ? undefined : sha256(former), granted, now)
      return sealedId(key, id)
    },

    async end(headers) {
      const session = await found(headers)
      if (typeof session === 'string') return undefined
      const content = await store.end(session.idHash)
      ended.set(session.idHash, true)
      return content === undefined ? undefined : revealContent(vault, session.idHash, content)
    },
  }
}
