import { connectDatabase, type Database, UNHURRIED_MS } from '../../server/database/connect.js'
import { fragment } from '../../server/database/fragment.js'
import { createEventStore, eventRow, recordEvents, type SessionEvent } from '../../server/events/store.js'
import { createEvents, type EventStream, type Events, type EventsOptions } from '../../server/events/stream.js'
import type { MakeTransport } from '../../server/events/transport.js'
import { postgresTransport } from '../../server/events/transports/postgres.js'
import { createLog } from '../../server/log/log.js'
import { query } from '../support/postgres.js'

/** The events of one process, with its own pool and its own LISTEN connection. */
export interface EventProcess extends AsyncDisposable {
  readonly database: Database
  readonly events: Events
  /**
   * Makes a new session or a transition, as features do: one statement stores the event, and then the process announces
   * it.
   */
  record(sessionId: string, seq: number, state: string): Promise<void>
  /** Like `record`, but the process ends before it announces the event. */
  recordSilently(sessionId: string, seq: number, state: string): Promise<void>
  /** Subscribes to a session. The state of the session is the state of its newest event. */
  subscribe(sessionId: string, lastEventId?: string): Promise<Subscriber>
}

export interface Subscriber {
  readonly stream: EventStream<Record<string, unknown>>
  /** Reads the next events, as `[seq, state]`. */
  take(count: number): Promise<[string, unknown][]>
  leave(): void
}

/** The key from which the names of sessions are derived. All processes of an installation have the same key. */
export const KEY = new Uint8Array(32).fill(7)

export const postgresOf = (databaseUrl: string): MakeTransport =>
  postgresTransport({ databaseUrl, log: createLog('silent') })

/** Inserts a session with only the required columns. */
const newSession = (id: string, state: string) => fragment`
  WITH key_set AS (INSERT INTO key_sets (id) VALUES (${id}) RETURNING id),
  key AS (INSERT INTO keys (id, key_set_id, alg, public_jwk, private_jwk) SELECT id, id, 'ES256', '{}', '{}' FROM key_set RETURNING id)
  INSERT INTO verification_sessions (
    id, request_id, verifier_id, client_id, key_id, kid, response_mode, secrets, dcql_query, created_at, expires_at, first_view)
  SELECT id, id, 'did:web:verifier.example', 'verifier', id, 'kid', 'direct_post.jwt', '', '{}', now(), now(),
    jsonb_build_object('id', id, 'state', ${state}::text) FROM key
  RETURNING id, seq, first_view AS data`

export function startEventProcess(
  databaseUrl: string,
  transport = postgresOf(databaseUrl),
  options: Pick<EventsOptions, 'everyMs'> = {},
): EventProcess {
  const database = connectDatabase(databaseUrl, { max: 4, waitMs: UNHURRIED_MS })
  const store = createEventStore(database)
  const events = createEvents({
    store,
    transport,
    key: KEY,
    log: createLog('silent'),
    clock: () => new Date(),
    limits: { perCaller: 0, process: 1_000 },
    ...options,
  })
  const current = async (sessionId: string): Promise<SessionEvent> => {
    const latest = (await store.after([{ sessionId, after: 0 }])).at(-1)
    if (latest === undefined) throw new Error('No such session.')
    return latest
  }
  const recorded = (sessionId: string, seq: number, state: string) => {
    if (seq === 1) return database.sql(eventRow)`${newSession(sessionId, state)}`
    const rows = fragment`
      SELECT id, ${seq}::int AS seq, first_view, ${JSON.stringify({ state })}::jsonb AS changes
      FROM verification_sessions WHERE id = ${sessionId}`
    return database.sql(eventRow)`SELECT id, seq, data FROM ${recordEvents(rows, new Date())}`
  }
  return {
    database,
    events,
    record: async (sessionId, seq, state) => events.announce(await recorded(sessionId, seq, state)),
    recordSilently: async (sessionId, seq, state) => void (await recorded(sessionId, seq, state)),
    async subscribe(sessionId, lastEventId) {
      const controller = new AbortController()
      const stream = await events.stream({
        sessionId,
        current: () => current(sessionId),
        lastEventId,
        caller: { sub: 'alice' },
        signal: controller.signal,
      })
      return {
        stream,
        async take(count) {
          const taken: [string, unknown][] = []
          while (taken.length < count) {
            const { value, done } = await stream.next()
            if (done === true) break
            taken.push([value[0], (value[1] as { state?: unknown }).state])
          }
          return taken
        },
        leave: () => controller.abort(),
      }
    },
    async [Symbol.asyncDispose]() {
      events.end()
      await events.close()
      await database.close()
    },
  }
}

/** The number of LISTEN connections to a database. */
export async function listeners(databaseUrl: string): Promise<number[]> {
  const rows = await query<{ pid: number }>(
    databaseUrl,
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'credence-events'`,
  )
  return rows.map(({ pid }) => pid)
}

/** Ends every LISTEN connection of a database. */
export async function killListeners(databaseUrl: string): Promise<number> {
  const rows = await query(
    databaseUrl,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'credence-events'`,
  )
  return rows.length
}
