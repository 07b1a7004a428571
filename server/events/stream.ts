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
  /** The session's current state, with the `seq` of its newest event. May throw, for example for an unknown session. */
  readonly current: () => Promise<{
    readonly seq: number
    readonly data: Data
    /** Members of every event that are not stored with events, because they are personal data. */
    readonly also?: Readonly<Record<string, unknown>>
  }>
  /**
   * Position of the last event that the subscriber received (the SSE `Last-Event-ID`); a value that is not a position
   * is ignored.
   */
  readonly lastEventId?: string | number | undefined
  /** The caller of the stream; the stream ends when the caller's token expires. */
  readonly caller: Pick<Caller, 'sub' | 'expiresAt'>
  /** Maximum of this caller's streams, if it is lower than the limit for all callers. */
  readonly most?: number | undefined
  /** Aborts when the subscriber disconnects. */
  readonly signal: AbortSignal
}

/** A stream of pairs: `seq` as text, and the session. tRPC reads the id of an item from this envelope. */
export type EventStream<Data> = AsyncGenerator<TrackedEnvelope<Data>, void, undefined>

/** A listener that is told which sessions have new events. */
export interface SessionListener {
  /** Called when a session has a new event. @param name the session's name in announcements */
  heard(name: string): void
  /**
   * Called when sessions may have new events that were not announced to this process: listening has just begun, or has
   * resumed after an outage.
   */
  missed(): void
}

/**
 * Streams of session events across all processes of the installation: a stream delivers all events of a session in
 * order, each exactly once.
 */
export interface Events {
  /**
   * Subscribes to a session and reads its state. The stream begins with the events after `lastEventId`, or with the
   * current state if there are no such events. Every later event follows. The stream ends when `signal` aborts. It
   * throws 503 when the service stops or the caller's token expires, so that clients reconnect. The stream does not
   * read ahead of its consumer, so events do not accumulate in memory for a slow consumer. A tRPC subscription can
   * return the stream unchanged.
   *
   * @throws the errors of `current`; 429 or 503 if too many streams are open.
   */
  stream<Data>(options: StreamOptions<Data>): Promise<EventStream<Data>>
  /** Announces events to every process, after the statement that recorded them is committed. */
  readonly announce: Announce
  /** The name of a session in announcements. */
  readonly nameOf: (sessionId: string) => string
  /**
   * Reports each session with new events, from any process, to a listener. The returned function removes the listener.
   */
  follow(listener: SessionListener): () => void
  /**
   * The places for streams of data other than session events. They are counted together with the streams of sessions.
   */
  readonly places: Pick<StreamPlaces, 'take'>
  /** Number of open streams. */
  open(): number
  /** Ends every open stream and refuses new streams, because the service stops. */
  end(): void
  /** Readiness check of the transport between processes; undefined if the transport needs only the database. */
  readonly check: Transport['check']
  /** Sends the announcements that still wait, and releases connections. */
  close(): Promise<void>
}

export interface EventsOptions {
  readonly store: Pick<EventStore, 'after' | 'moved'>
  readonly transport: MakeTransport
  /** The key with which the installation derives the names of sessions in announcements. */
  readonly key: Uint8Array
  readonly log: Log
  readonly clock: () => Date
  readonly limits: StreamLimits
  /**
   * Milliseconds between two searches for missed events, and between two checks for expired access tokens. Default:
   * 1,000. A failed announcer also tries again after this time.
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

  /** Returns the first events for a subscriber: the missed events, or the current state. */
  const opening = async <Data>(
    { current, lastEventId, sessionId }: StreamOptions<Data>,
    subscription: Subscription,
  ) => {
    const { also, ...rest } = await current()
    subscription.also = also
    // The data of a session is the JSON that its events contain.
    const now = rest as SessionEvent
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

  /** This is a separate generator, so that a waiting stream does not keep the previous event in memory. */
  function* envelopesOf(subscription: Subscription) {
    for (const { seq, data } of subscription.unseen()) {
      subscription.expire(clock().getTime())
      if (stopped || subscription.ended) return
      yield tracked(String(seq), { ...data, ...subscription.also })
    }
  }

  async function* follow(subscription: Subscription) {
    try {
      for (;;) {
        yield* envelopesOf(subscription)
        if (stopped) throw errors.stopping()
        if (subscription.expired) throw errors.streamExpired()
        if (subscription.ended) return
        // If a change is announced during a read, the subscription stays dirty and is read again afterwards.
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
      // The subscription begins before the state is read. So a change that happens during the read is announced to it.
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
        subscription.take(await opening(options, subscription))
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
