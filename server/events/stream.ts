import { type TrackedEnvelope, tracked } from '@trpc/server'
import { errors } from '../api/errors.js'
import type { Caller } from '../auth/caller.js'
import type { Log } from '../log/log.js'
import { sessionNames, unpacked } from './announcement.js'
import { Announcer } from './announcer.js'
import { Inquiry } from './inquiry.js'
import { type StreamLimits, StreamPlaces } from './places.js'
import { EventReader } from './reader.js'
import type { Announce, EventStore, SessionEvent } from './store.js'
import { type Subscription, Subscriptions } from './subscriptions.js'
import type { MakeTransport, Transport } from './transport.js'

export interface StreamOptions<Data> {
  readonly sessionId: string
  /** The session as it is now, with the `seq` of its newest event. May throw, for an unknown session say. */
  readonly current: () => Promise<{ readonly seq: number; readonly data: Data }>
  /** What the subscriber saw last (the SSE `Last-Event-ID`); anything that is no position counts as absent. */
  readonly lastEventId?: string | number | undefined
  /** Whose stream it is; it ends with the caller's token. */
  readonly caller: Pick<Caller, 'sub' | 'expiresAt'>
  /** How many streams that caller may have, where that is less than any caller's limit. */
  readonly most?: number | undefined
  /** Aborts when the subscriber goes away. */
  readonly signal: AbortSignal
}

/** A stream of `[seq as text, session]`, in the envelope by which tRPC tells ids from data. */
export type EventStream<Data> = AsyncGenerator<TrackedEnvelope<Data>, void, undefined>

/** Who is told which sessions go on. */
export interface SessionListener {
  /** A session has gone on. @param name by which processes speak of it */
  heard(name: string): void
  /** Sessions may have gone on of which nothing was heard: listening has begun only now, or again after an outage. */
  missed(): void
}

/** Streams of session events: across all processes of the installation, in order, none skipped and none twice. */
export interface Events {
  /**
   * Subscribes to a session and reads its state; once that is done, the stream gives the state and then every later
   * event, or first those after `lastEventId` where there are any. It has no end of its own: it ends when `signal`
   * aborts, and throws 503 when the service stops, or when the caller's token expires, so that clients come again.
   * Nothing is read ahead of the consumer, so a slow one costs no memory. A tRPC subscription returns it as it is.
   *
   * @throws what `current` throws; 429 or 503 where too many streams are open.
   */
  stream<Data>(options: StreamOptions<Data>): Promise<EventStream<Data>>
  /** Tells every process of events, once the statement that recorded them is committed. */
  readonly announce: Announce
  /** The name by which processes speak of a session. */
  readonly nameOf: (sessionId: string) => string
  /** Tells a listener of each session that goes on, by whichever process, until what it returns is called. */
  follow(listener: SessionListener): () => void
  /** For streams of other things, which count like those of sessions. */
  readonly places: Pick<StreamPlaces, 'take'>
  /** How many streams are open. */
  open(): number
  /** Ends every stream, now and in future: the service stops. */
  end(): void
  /** Of the way by which processes tell each other; undefined where nothing but the database is needed. */
  readonly check: Transport['check']
  /** Sends what was announced before, and gives connections back. */
  close(): Promise<void>
}

export interface EventsOptions {
  readonly store: Pick<EventStore, 'after' | 'moved'>
  readonly transport: MakeTransport
  /** The installation's key for the names by which sessions are announced. */
  readonly key: Uint8Array
  readonly log: Log
  readonly clock: () => Date
  readonly limits: StreamLimits
  /**
   * Milliseconds between two looks for missed events and for expired access tokens; 1,000 unless given. An announcer that failed
   * tries again after the same time.
   */
  readonly everyMs?: number | undefined
}

const EVERY_MS = 1_000

export function createEvents(options: EventsOptions): Events {
  const { store, transport: connect, key, log, clock, limits, everyMs = EVERY_MS } = options
  const nameOf = sessionNames(key)
  const subscriptions = new Subscriptions(nameOf)
  const places = new StreamPlaces(limits)
  const reader = new EventReader(store, log)
  let stopped = false

  const listeners = new Set<SessionListener>()
  const hear = (name: string, seq: number, data?: SessionEvent['data']) => {
    for (const listener of listeners) listener.heard(name)
    for (const subscription of subscriptions.of(name)) subscription.hear(seq, data)
  }
  const inquiry = new Inquiry(subscriptions, store, log, everyMs)
  const transport = connect({
    onMessage: (message) => {
      for (const { name, seq } of unpacked(message)) hear(name, seq)
    },
    onListening: () => {
      inquiry.ask()
      for (const listener of listeners) listener.missed()
    },
  })
  const announcer = new Announcer(transport, log, everyMs)

  /** What a subscriber sees first: what it missed, or the state as it is. */
  const opening = async <Data>({ current, lastEventId, sessionId }: StreamOptions<Data>) => {
    const now = (await current()) as SessionEvent
    const seen = positionOf(lastEventId)
    if (seen === undefined || seen >= now.seq) return [now]
    const missed = (await store.after([{ sessionId, after: seen }])).filter(({ seq }) => seq <= now.seq)
    return missed.length > 0 ? missed : [now]
  }

  const expiry = setInterval(() => {
    const now = clock().getTime()
    for (const subscription of subscriptions.all()) subscription.expire(now)
  }, everyMs)
  expiry.unref()

  /** A generator of its own, so that a stream that waits does not keep the event before in memory. */
  function* envelopesOf(subscription: Subscription) {
    for (const { seq, data } of subscription.unseen()) {
      subscription.expire(clock().getTime())
      if (stopped || subscription.ended) return
      yield tracked(String(seq), data)
    }
  }

  async function* follow(subscription: Subscription) {
    try {
      for (;;) {
        yield* envelopesOf(subscription)
        if (stopped) throw errors.stopping()
        if (subscription.expired) throw errors.streamExpired()
        if (subscription.ended) return
        // While it is being read already, it is read again after that.
        if (subscription.dirty && !subscription.reading) {
          subscription.dirty = false
          reader.want(subscription)
        }
        await subscription.changed()
      }
    } finally {
      subscription.leave()
    }
  }

  return {
    async stream<Data>(options: StreamOptions<Data>) {
      if (stopped) throw errors.stopping()
      const { sessionId, signal, caller, most } = options
      const giveBack = places.take(caller.sub, most)
      // First the subscription, then the state: what changes in between is announced, and read again if need be.
      const subscription = subscriptions.add(sessionId, caller.expiresAt ?? Number.POSITIVE_INFINITY)
      transport.listen()
      inquiry.start()
      const leave = () => {
        giveBack()
        signal.removeEventListener('abort', leave)
        subscriptions.delete(subscription)
        reader.forget(subscription)
        subscription.ended = true
        subscription.notify()
      }
      subscription.leave = leave
      signal.addEventListener('abort', leave)
      if (signal.aborted) leave()
      try {
        subscription.take(await opening(options))
      } catch (error) {
        leave()
        throw error
      }
      return follow(subscription) as EventStream<Data>
    },
    announce(recorded) {
      const isHeard = transport.isHeard?.() ?? true
      if (!isHeard && subscriptions.size === 0 && listeners.size === 0) return
      for (const { id, seq, data } of recorded ?? []) {
        const name = nameOf(id)
        hear(name, seq, data)
        if (isHeard) announcer.announce(name, seq)
      }
    },
    nameOf,
    follow(listener) {
      listeners.add(listener)
      transport.listen()
      return () => listeners.delete(listener)
    },
    places,
    check: transport.check,
    open: () => places.taken,
    end() {
      stopped = true
      reader.close()
      inquiry.close()
      for (const subscription of subscriptions.all()) subscription.notify()
    },
    close: async () => {
      clearInterval(expiry)
      inquiry.close()
      await announcer.close()
      await transport.close()
    },
  }
}

function positionOf(lastEventId: string | number | undefined): number | undefined {
  return /^\d{1,9}$/.test(String(lastEventId ?? '')) ? Number(lastEventId) : undefined
}
