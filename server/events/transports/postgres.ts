import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from '../../log/log.js'
import { inTime } from '../../outbound/in-time.js'
import { ANSWER_TIMEOUT_MS, type MakeTransport } from '../transport.js'

/** The channel of PostgreSQL's notifications. */
export const EVENT_CHANNEL = 'credence_events'

/** The channel on which a process that begins to listen informs the senders. */
const LISTENERS_CHANNEL = 'credence_listeners'
/** Two numbers that identify an advisory lock. Each listening connection holds this lock in shared mode. */
const LISTENERS_LOCK = [1_128_481_603, 1]
/** Milliseconds after which every sender knows of a new listener. */
const HEARD_AFTER_MS = 1_000

/** A statement that finds out whether any other connection listens. */
const HEARD = `SELECT EXISTS (
  SELECT FROM pg_locks
  WHERE locktype = 'advisory' AND classid = ${LISTENERS_LOCK[0]} AND objid = ${LISTENERS_LOCK[1]} AND objsubid = 2 AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND pid <> pg_backend_pid()
) AS heard, pg_backend_pid() AS pid`

/** The statement has a name, so that it is parsed and planned once for each connection. */
const ANNOUNCE = {
  name: 'announce',
  text: `SELECT pg_notify('${EVENT_CHANNEL}', message) FROM unnest($1::text[]) AS message`,
}

const FIRST_RETRY_MS = 100
const LAST_RETRY_MS = 5_000
/**
 * Interval of the check for listeners. The check also detects broken connections that reported no error, for example
 * behind a proxy or NAT.
 */
const PROBE_EVERY_MS = 30_000

export interface PostgresTransportOptions {
  /** The URL of a direct connection: LISTEN does not work through a pooler in transaction mode. */
  readonly databaseUrl: string
  readonly log: Log
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/**
 * The transport over PostgreSQL. It uses LISTEN and NOTIFY over one connection of the process, which is opened when it
 * is first needed.
 *
 * A NOTIFY holds a lock of the whole database server until its transaction has ended. So this transport sends each
 * NOTIFY in a separate transaction, with many announcements and without writes to disk. It is never part of the
 * transaction that changes a session.
 *
 * If no other process listens, no message is sent: for example if there is only one process, or if only the sending
 * process has streams. Each listening connection holds a lock that senders can see, and notifies the senders when it
 * begins to listen. A sender first subscribes to these notifications and then checks for locks, so that it finds every
 * listener in one of the two ways.
 */
export const postgresTransport =
  ({ databaseUrl, log }: PostgresTransportOptions): MakeTransport =>
  ({ onMessage, onListening }) => {
    const stop = new AbortController()
    let listening = false
    /** Whether another process may be listening; undefined if it is unknown, for example without a connection. */
    let heard: boolean | undefined
    /** How many listeners have begun to listen since the connection was opened. */
    let beginnings = 0
    /** Id of the server process that serves the connection. */
    let ownPid = 0
    let running: Promise<void> | undefined
    let link = pending<pg.Client>()

    const lookForListeners = async (client: pg.Client): Promise<void> => {
      const before = beginnings
      const { rows } = await client.query<{ readonly heard: boolean; readonly pid: number }>(HEARD)
      ownPid = rows[0]?.pid ?? 0
      // The result of the query may lack a listener that began during the query.
      heard = rows[0]?.heard === true || beginnings !== before
    }

    const beginListening = async (client: pg.Client): Promise<void> => {
      await client.query('SELECT pg_advisory_lock_shared($1, $2)', LISTENERS_LOCK)
      await client.query(`LISTEN ${EVENT_CHANNEL}`)
      await client.query('SELECT pg_notify($1, $2)', [LISTENERS_CHANNEL, ''])
      onListening()
      // Until now, other processes may have sent no announcements, because they did not know of this listener. So
      // missed events are searched for once more.
      setTimeout(onListening, HEARD_AFTER_MS).unref()
    }

    /** Stays connected until it is stopped. Throws if the connection is lost. */
    const connectUntilLost = async (connected: () => void): Promise<void> => {
      const client = new pg.Client({
        connectionString: databaseUrl,
        connectionTimeoutMillis: ANSWER_TIMEOUT_MS,
        query_timeout: ANSWER_TIMEOUT_MS,
        keepAlive: true,
        application_name: 'credence-events',
      })
      const over = pending<void>()
      const lost = () => over.reject(new Error('Connection terminated'))
      const stopped = () => over.resolve()
      client.on('error', over.reject)
      client.on('end', lost)
      client.on('notification', ({ channel, payload, processId }) => {
        if (channel === EVENT_CHANNEL) onMessage(payload ?? '')
        else if (processId !== ownPid) {
          beginnings += 1
          heard = true
        }
      })
      stop.signal.addEventListener('abort', stopped, { once: true })
      const probe = setInterval(() => lookForListeners(client).catch(over.reject), PROBE_EVERY_MS)
      probe.unref()
      try {
        await Promise.race([client.connect(), over.promise])
        if (stop.signal.aborted) return
        // Announcements may get lost in a crash, so their transactions need not wait for the disk.
        await Promise.race([client.query('SET synchronous_commit = off'), over.promise])
        await Promise.race([client.query(`LISTEN ${LISTENERS_CHANNEL}`), over.promise])
        if (listening) await Promise.race([beginListening(client), over.promise])
        await Promise.race([lookForListeners(client), over.promise])
        if (stop.signal.aborted) return
        connected()
        link.resolve(client)
        await over.promise
      } finally {
        link.reject(new Error('Connection terminated'))
        link = pending()
        heard = undefined
        clearInterval(probe)
        stop.signal.removeEventListener('abort', stopped)
        client.off('end', lost)
        // Limits the wait for a connection that hangs.
        await Promise.race([client.end().catch(() => {}), sleep(1_000, undefined, { ref: false })])
      }
    }

    const run = async (): Promise<void> => {
      let retryMs = FIRST_RETRY_MS
      while (!stop.signal.aborted) {
        try {
          await connectUntilLost(() => {
            retryMs = FIRST_RETRY_MS
          })
        } catch (error) {
          if (stop.signal.aborted) return
          log.warn({ reason: reasonOf(error), retryMs }, 'event connection lost')
          // The pause is random, so that processes that have lost the same database do not all reconnect at the same
          // time.
          await sleep(retryMs * (0.5 + Math.random() / 2), undefined, { signal: stop.signal, ref: false }).catch(
            () => {},
          )
          retryMs = Math.min(retryMs * 2, LAST_RETRY_MS)
        }
      }
    }

    return {
      isHeard: () => heard !== false,
      async send(messages) {
        running ??= run()
        const client = await inTime(link.promise, ANSWER_TIMEOUT_MS)
        if (heard === false) return
        await client.query({ ...ANNOUNCE, values: [messages] })
      },
      listen() {
        if (listening) return
        listening = true
        const { promise } = link
        const connectedBefore = running !== undefined
        running ??= run()
        if (!connectedBefore) return
        promise.then(
          (client) => beginListening(client).catch((error: unknown) => client.emit('error', error)),
          // If there is no connection, the next connection will listen when it is opened.
          () => undefined,
        )
      },
      close: async () => {
        stop.abort()
        link.reject(new Error('The service stops.'))
        await running
      },
    }
  }

interface Pending<T> {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
  readonly reject: (reason: unknown) => void
}

function pending<T>(): Pending<T> {
  let resolve: (value: T) => void = () => {}
  let reject: (reason: unknown) => void = () => {}
  const promise = new Promise<T>((fulfil, refuse) => {
    resolve = fulfil
    reject = refuse
  })
  // Callers that await the promise get the rejection. Without this handler, a rejection for which nobody waits would
  // end the process.
  promise.catch(() => {})
  return { promise, resolve, reject }
}
