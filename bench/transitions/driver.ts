import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../server/database/connect.js'
import { fragment } from '../../server/database/fragment.js'
import { idRow } from '../../server/database/row-shapes.js'
import { type Announce, eventRow, recordEvents } from '../../server/events/store.js'

/** Makes sessions with only the required columns and a view of the usual size. @returns their ids */
export async function makeSessions({ sql }: Database, count: number): Promise<string[]> {
  const address = `openid4vp://?client_id=decentralized_identifier%3Adid%3Aweb%3Averifier.example&request_uri=${'x'.repeat(120)}`
  const rows = await sql(idRow)`
    WITH key_set AS (INSERT INTO key_sets (id) VALUES ('bench') RETURNING id),
    key AS (INSERT INTO keys (id, key_set_id, alg, public_jwk, private_jwk) SELECT id, id, 'ES256', '{}', '{}' FROM key_set RETURNING id)
    INSERT INTO verification_sessions (
      id, request_id, verifier_id, client_id, key_id, kid, response_mode, secrets, dcql_query, created_at, expires_at, first_view)
    SELECT s, s, 'did:web:verifier.example', 'verifier', key.id, 'kid', 'direct_post.jwt', '', '{}', now(), now() + interval '1 day',
      jsonb_build_object('id', s, 'state', 'RequestCreated', 'verifierId', 'did:web:verifier.example', 'authorizationRequestId', s,
        'authorizationRequestUri', ${address}::text, 'expiresAt', '2026-01-01T00:00:00.000Z')
    FROM key, LATERAL (SELECT gen_random_uuid()::text AS s FROM generate_series(1, ${count}::int)) AS made
    RETURNING id`
  return rows.map(({ id }) => id)
}

/**
 * The part of a statement that makes a transition. Unlike a real session, this session alternates between two states.
 */
const moved = (id: string) => fragment`
  moved AS (
    UPDATE verification_sessions SET state = CASE state WHEN 'RequestCreated' THEN 'RequestUriRetrieved' ELSE 'RequestCreated' END, seq = seq + 1
    WHERE id = ${id} AND state = ANY(${['RequestCreated', 'RequestUriRetrieved']}::text[])
    RETURNING id, seq, state, first_view),
  ${recordEvents(fragment`SELECT id, seq, first_view, jsonb_build_object('state', state) AS changes FROM moved`, new Date())}`

/** Makes a transition as the service does: it records the event and does not notify. */
export const transition = ({ sql }: Database, id: string) =>
  sql(eventRow)`WITH ${moved(id)} SELECT id, seq, data FROM transitions`

/**
 * Makes a transition as the service formerly did: PostgreSQL notifies in the same transaction, and holds a lock until
 * the commit is on disk.
 */
export const notifyingTransition = ({ sql }: Database, id: string) => sql(idRow)`
  WITH ${moved(id)} SELECT id FROM (SELECT id, pg_notify('credence_bench', id || ' ' || seq) FROM transitions) AS told`

/**
 * The result of a run. `committed` has the time at which each commit was known, by session and event number, in
 * milliseconds of the machine's clock.
 */
export interface Driven {
  readonly committed: ReadonlyMap<string, number>
  readonly perSecond: number
}

const TICK_MS = 2
/** The maximum number of simultaneous transitions. Beyond it, the next transitions start late. */
const MAX_UNDER_WAY = 500

export const nowMs = () => Number(process.hrtime.bigint()) / 1e6

/** Makes `perSecond` transitions a second. The sessions take turns. Announces each transition after its commit. */
export async function drive(
  database: Database,
  sessions: readonly string[],
  announce: Announce,
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<Driven> {
  const numbers = new Map(sessions.map((id, number) => [id, number]))
  const committed = new Map<string, number>()
  const underWay = new Set<Promise<void>>()
  const free = [...sessions]
  const move = async (id: string) => {
    const recorded = await transition(database, id)
    const at = nowMs()
    for (const { id, seq } of recorded) committed.set(`${numbers.get(id)} ${seq}`, at)
    announce(recorded)
    free.push(id)
  }
  const started = nowMs()
  let begun = 0
  for (let elapsed = 0; elapsed < seconds * 1_000; elapsed = nowMs() - started) {
    while (begun < (elapsed / 1_000) * perSecond && underWay.size < MAX_UNDER_WAY) {
      const id = free.shift()
      if (id === undefined) break
      begun += 1
      const moving = move(id).finally(() => underWay.delete(moving))
      underWay.add(moving)
    }
    await sleep(TICK_MS)
  }
  await Promise.all(underWay)
  return { committed, perSecond: (committed.size / (nowMs() - started)) * 1_000 }
}

/**
 * Measures how many transitions a second are possible with one caller for each connection. Each caller makes its next
 * transition when its previous transition is on disk.
 */
export async function commitRate(
  make: (id: string) => Promise<unknown>,
  sessions: readonly string[],
  { connections, seconds }: { connections: number; seconds: number },
): Promise<number> {
  const until = nowMs() + seconds * 1_000
  let done = 0
  await Promise.all(
    sessions.slice(0, connections).map(async (id) => {
      while (nowMs() < until) {
        await make(id)
        done += 1
      }
    }),
  )
  return done / seconds
}
