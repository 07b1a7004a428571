import { type TrackedEnvelope, tracked } from '@trpc/server'
import { errors } from '../../api/errors.js'
import type { Caller } from '../../auth/caller.js'
import type { Rights } from '../../auth/rights.js'
import type { Events } from '../../events/stream.js'
import type { Log } from '../../log/log.js'
import { type Change, EVERYTHING, maySee } from './change.js'
import { NewsReader } from './news.js'
import type { ChangeStore } from './store.js'

/** Time between two reads of changes while a stream is open. */
const EVERY_MS = 1_000
/**
 * Time for which reading continues after the last stream has ended. Streams end regularly, and their clients soon
 * connect again.
 */
const LINGER_MS = 15_000
/** Maximum number of stored changes for readers that connect again. */
const MAX_REMEMBERED = 1_000
/** Maximum number of changes that wait for a reader. If there are more, the reader receives `everything` instead. */
const MAX_WAITING = 200

export interface WatchOptions {
  /** The caller of the stream, which ends when the caller's token expires. */
  readonly caller: Pick<Caller, 'sub' | 'expiresAt'>
  readonly rights: Rights
  /** The last event that the reader received (the SSE `Last-Event-ID`). */
  readonly lastEventId?: string | undefined
  /** Aborts when the reader disconnects. */
  readonly signal: AbortSignal
}

export type ChangeStream = AsyncGenerator<TrackedEnvelope<Change>, void, undefined>

/** Streams of changes in the console's lists. The changes may be made by any process. */
export interface Changes {
  /**
   * Streams the changes in lists that the caller may read. A change arrives at most two seconds after its commit. The
   * first change is `everything`, so that the reader reads its lists again. If the changes since `lastEventId` are
   * stored here, the stream begins with these changes instead. If an entry changes twice before its change is sent, the
   * stream sends one change. Like streams of sessions, the stream ends when `signal` aborts, and throws 503 when the
   * service stops or the caller's token expires.
   *
   * @throws 429 or 503 if too many streams are open; 503 if the database is unreachable.
   */
  watch(options: WatchOptions): Promise<ChangeStream>
  /** Ends all streams and refuses new streams, because the service stops. */
  end(): void
}

export interface ChangesOptions {
  /** The store must read the same database as lists do, so that a reader finds a reported change in the list. */
  readonly store: ChangeStore
  readonly events: Pick<Events, 'places' | 'nameOf' | 'follow'>
  readonly clock: () => Date
  readonly log: Log
  readonly newId: () => string
  /** Milliseconds between two reads of changes. Default: 1,000. */
  readonly everyMs?: number | undefined
}

/** A change with its number in the current series of this process. */
interface Numbered {
  readonly number: number
  readonly change: Change
}

/** One reader of changes. */
class Watcher {
  readonly rights: Rights
  readonly until: number
  ended = false
  #waiting = new Map<string, Numbered>()
  #wake: (() => void) | undefined

  constructor(rights: Rights, until: number) {
    this.rights = rights
    this.until = until
  }

  tell(changes: readonly Numbered[]): void {
    for (const { number, change } of changes) {
      if (!maySee(this.rights, change)) continue
      const isFull = this.#waiting.size >= MAX_WAITING || this.#waiting.has(KEY_OF_EVERYTHING)
      if (isFull || change.kind === 'everything')
        this.#waiting = new Map([[KEY_OF_EVERYTHING, { number, change: EVERYTHING }]])
      else {
        // The entry is moved to the end of the map, so that the numbers are in ascending order.
        this.#waiting.delete(keyOf(change))
        this.#waiting.set(keyOf(change), { number, change })
      }
    }
    if (this.#waiting.size > 0) this.wake()
  }

  wake(): void {
    this.#wake?.()
    this.#wake = undefined
  }

  /**
   * Waits for changes and returns those that the reader has not received yet. Empty if the reader was woken for a
   * different reason.
   */
  async next(): Promise<Iterable<Numbered>> {
    if (this.#waiting.size === 0 && !this.ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    const waiting = this.#waiting
    this.#waiting = new Map()
    return waiting.values()
  }
}

const keyOf = ({ kind, id }: Change): string => `${kind} ${id ?? ''}`
const KEY_OF_EVERYTHING = keyOf(EVERYTHING)

export function createChanges({ store, events, clock, log, newId, everyMs = EVERY_MS }: ChangesOptions): Changes {
  const watchers = new Set<Watcher>()
  /**
   * The name of the series of numbers. A series belongs to one process, and to one period in which this process reads
   * changes without interruption.
   */
  let series = ''
  let number = 0
  let remembered: Numbered[] = []
  let news: NewsReader | undefined
  let timer: NodeJS.Timeout | undefined
  let lingering: NodeJS.Timeout | undefined
  let unfollow: (() => void) | undefined
  /**
   * True after the first read has set the position where reading begins. A reader that connects later may have missed
   * earlier changes.
   */
  let begun = false
  /** The read in progress. */
  let asked: Promise<void> | undefined
  let failing = false
  let stopped = false

  const tellAll = (changes: readonly Change[]) => {
    if (changes.length === 0) return
    const numbered = changes.map((change) => ({ number: ++number, change }))
    remembered = [...remembered, ...numbered].slice(-MAX_REMEMBERED)
    for (const watcher of watchers) watcher.tell(numbered)
  }

  /** Returns the changes that a reader has missed, or EVERYTHING if some of these changes are not stored any more. */
  const missed = (lastEventId: string | undefined): readonly Numbered[] => {
    const [, of, seen] = /^(.+)\.(\d{1,15})$/.exec(lastEventId ?? '') ?? []
    const first = remembered[0]?.number ?? number + 1
    if (of !== series || Number(seen) + 1 < first || Number(seen) > number) return [{ number, change: EVERYTHING }]
    return remembered.filter((each) => each.number > Number(seen))
  }

  const read = async (reader: NewsReader): Promise<void> => {
    try {
      const changes = await reader.read()
      begun ||= reader === news
      if (reader === news) tellAll(changes)
      failing = false
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (!failing) log.warn({ reason }, 'changes cannot be read: the lists of the console do not update automatically')
      failing = true
      throw error
    } finally {
      asked = undefined
    }
  }

  /** Reads changes and sends them to all readers; concurrent calls share one read. */
  const ask = (reader: NewsReader): Promise<void> => {
    asked ??= read(reader)
    return asked
  }

  const turn = () => {
    const now = clock().getTime()
    for (const watcher of watchers) if (now >= watcher.until) watcher.wake()
    // `read` has logged the failure.
    if (news !== undefined) ask(news).catch(() => {})
  }

  const enter = async (watcher: Watcher, lastEventId: string | undefined): Promise<void> => {
    watchers.add(watcher)
    clearTimeout(lingering)
    if (begun) watcher.tell(missed(lastEventId))
    if (news === undefined) {
      series = newId()
      remembered = []
      // Each series has a new NewsReader. It skips the changes that were made while there were no streams.
      news = new NewsReader(store, events.nameOf, () => performance.now())
      unfollow = events.follow(news)
      timer = setInterval(turn, everyMs)
      timer.unref()
    }
    if (!begun) await ask(news)
  }

  const leave = (watcher: Watcher) => {
    watcher.ended = true
    watcher.wake()
    watchers.delete(watcher)
    if (watchers.size > 0 || stopped) return
    clearTimeout(lingering)
    lingering = setTimeout(rest, LINGER_MS).unref()
  }

  const rest = () => {
    clearInterval(timer)
    timer = undefined
    news = undefined
    begun = false
    unfollow?.()
    unfollow = undefined
  }

  async function* follow(watcher: Watcher, goAway: () => void): ChangeStream {
    try {
      for (;;) {
        const changes = await watcher.next()
        for (const { number, change } of changes) {
          if (stopped || watcher.ended) break
          yield tracked(`${series}.${number}`, change)
        }
        if (stopped) throw errors.stopping()
        if (clock().getTime() >= watcher.until) throw errors.streamExpired()
        if (watcher.ended) return
      }
    } finally {
      goAway()
    }
  }

  return {
    async watch({ caller, rights, lastEventId, signal }) {
      if (stopped) throw errors.stopping()
      const giveBack = events.places.take(caller.sub)
      const watcher = new Watcher(rights, caller.expiresAt ?? Number.POSITIVE_INFINITY)
      const goAway = () => {
        giveBack()
        signal.removeEventListener('abort', goAway)
        leave(watcher)
      }
      signal.addEventListener('abort', goAway)
      try {
        if (signal.aborted) goAway()
        else await enter(watcher, lastEventId)
      } catch (error) {
        goAway()
        throw error
      }
      return follow(watcher, goAway)
    },
    end() {
      stopped = true
      clearTimeout(lingering)
      rest()
      for (const watcher of watchers) watcher.wake()
    },
  }
}
