import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { inTime } from '../../in-time.js'
import type { Log } from '../../log.js'
import { ANSWER_TIMEOUT_MS, type MakeTransport } from '../transport.js'

/** The channel of PostgreSQL's notifications. */
export const EVENT_CHANNEL = 'credence_events'

/** Named, so that it is parsed and planned once on the connection. */
const ANNOUNCE = {
  name: 'announce',
  text: `SELECT pg_notify('${EVENT_CHANNEL}', message) FROM unnest($1::text[]) AS message`,
}

const FIRST_RETRY_MS = 100
const LAST_RETRY_MS = 5_000
/** A statement is sent this often to detect connections that broke silently (by a proxy or NAT). */
const PROBE_EVERY_MS = 30_000

export interface PostgresTransportOptions {
  /** A direct connection: through a pooler of transactions nothing can be listened to. */
  readonly databaseUrl: string
  readonly log: Log
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/**
 * LISTEN and NOTIFY, over one connection of the process, which is made when it is first needed.
 *
 * A NOTIFY holds a lock of the whole database server until its transaction has ended: here that is a transaction with
 * nothing to write to disk, for many announcements at once, and never the one that makes a transition.
 */
export const postgresTransport =
  ({ databaseUrl, log }: PostgresTransportOptions): MakeTransport =>
  ({ onMessage, onListening }) => {
    const stop = new AbortController()
    let listening = false
    let running: Promise<void> | undefined
    let link = pending<pg.Client>()

    /** Connected until told to stop, or until the connection is lost, which is thrown. */
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
      client.on('notification', ({ payload }) => {
        if (payload !== undefined) onMessage(payload)
      })
      stop.signal.addEventListener('abort', stopped, { once: true })
      const probe = setInterval(() => client.query('SELECT 1').catch(over.reject), PROBE_EVERY_MS)
      probe.unref()
      try {
        await Promise.race([client.connect(), over.promise])
        if (stop.signal.aborted) return
        // Announcements outlive no crash, so none has to be on disk.
        await Promise.race([client.query('SET synchronous_commit = off'), over.promise])
        if (listening) await Promise.race([client.query(`LISTEN ${EVENT_CHANNEL}`), over.promise])
        if (stop.signal.aborted) return
        connected()
        link.resolve(client)
        if (listening) onListening()
        await over.promise
      } finally {
        link.reject(new Error('Connection terminated'))
        link = pending()
        clearInterval(probe)
        stop.signal.removeEventListener('abort', stopped)
        client.off('end', lost)
        // A connection that hangs is not waited for.
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
          // Random, so that many processes that lost the same database do not reconnect at the same moment.
          await sleep(retryMs * (0.5 + Math.random() / 2), undefined, { signal: stop.signal, ref: false }).catch(
            () => {},
          )
          retryMs = Math.min(retryMs * 2, LAST_RETRY_MS)
        }
      }
    }

    return {
      async send(messages) {
        running ??= run()
        const client = await inTime(link.promise, ANSWER_TIMEOUT_MS)
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
          (client) =>
            client.query(`LISTEN ${EVENT_CHANNEL}`).then(onListening, (error: unknown) => client.emit('error', error)),
          // The connection that comes next listens.
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
  // Callers that await it see the rejection; without this handler it would end the process as unhandled.
  promise.catch(() => {})
  return { promise, resolve, reject }
}
