import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from '../log.js'
import { EVENT_CHANNEL } from './store.js'

const FIRST_RETRY_MS = 100
const LAST_RETRY_MS = 5_000
const CONNECT_TIMEOUT_MS = 5_000
/** A statement is sent this often to detect connections that broke silently (by a proxy or NAT). */
const PROBE_EVERY_MS = 30_000

export interface ListenerOptions {
  readonly databaseUrl: string
  readonly log: Log
  /** A session has a new event: what the notification says of it (`announcedSession`, `announcedEvent`). */
  readonly onAnnouncement: (payload: string) => void
  /** Connected: notifications arrive from now on. Those sent before, or while the connection was broken, were missed. */
  readonly onConnected: () => void
}

/** The one connection of this process on which Postgres announces sessions that changed. */
export interface EventListener {
  /** Connects, and stays connected, from the first call on. */
  start(): void
  close(): Promise<void>
}

export function createEventListener(options: ListenerOptions): EventListener {
  const { log } = options
  const stop = new AbortController()
  let running: Promise<void> | undefined

  const run = async (): Promise<void> => {
    let retryMs = FIRST_RETRY_MS
    while (!stop.signal.aborted) {
      try {
        await listenUntilLost(options, stop.signal, () => {
          retryMs = FIRST_RETRY_MS
        })
      } catch (error) {
        if (stop.signal.aborted) return
        log.warn({ reason: error instanceof Error ? error.message : String(error), retryMs }, 'event listener lost')
        // Random, so that many processes that lost the same database do not reconnect at the same moment.
        await sleep(retryMs * (0.5 + Math.random() / 2), undefined, { signal: stop.signal, ref: false }).catch(() => {})
        retryMs = Math.min(retryMs * 2, LAST_RETRY_MS)
      }
    }
  }

  return {
    start: () => {
      running ??= run()
    },
    close: async () => {
      stop.abort()
      await running
    },
  }
}

/** Listens on a new connection. Returns when told to stop, rejects when the connection cannot be had or is lost. */
async function listenUntilLost(options: ListenerOptions, stop: AbortSignal, connected: () => void): Promise<void> {
  const client = new pg.Client({
    connectionString: options.databaseUrl,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'credence-events',
  })
  const { promise: over, resolve, reject } = withResolvers()
  const lost = () => reject(new Error('Connection terminated'))
  client.on('error', reject)
  client.on('end', lost)
  client.on('notification', ({ payload }) => {
    if (payload !== undefined) options.onAnnouncement(payload)
  })
  stop.addEventListener('abort', resolve, { once: true })
  const probe = setInterval(() => client.query('SELECT 1').catch(reject), PROBE_EVERY_MS)
  probe.unref()
  try {
    await Promise.race([client.connect(), over])
    if (stop.aborted) return
    await Promise.race([client.query(`LISTEN ${EVENT_CHANNEL}`), over])
    if (stop.aborted) return
    connected()
    options.onConnected()
    await over
  } finally {
    clearInterval(probe)
    stop.removeEventListener('abort', resolve)
    client.off('end', lost)
    // A connection that hangs is not waited for.
    await Promise.race([client.end().catch(() => {}), sleep(1_000, undefined, { ref: false })])
  }
}

function withResolvers(): { promise: Promise<void>; resolve: () => void; reject: (reason: unknown) => void } {
  let resolve: () => void = () => {}
  let reject: (reason: unknown) => void = () => {}
  const promise = new Promise<void>((fulfil, refuse) => {
    resolve = fulfil
    reject = refuse
  })
  // Callers that await it see the rejection; without this handler it would end the process as unhandled.
  promise.catch(() => {})
  return { promise, resolve, reject }
}
