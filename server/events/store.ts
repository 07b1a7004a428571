import { z } from 'zod'
import type { Database } from '../database/connect.js'
import { type Fragment, fragment } from '../database/fragment.js'
import { idRow, json } from '../database/row-shapes.js'

/** Whose events they are: one sequence for each session of either kind. */
export type SessionKind = 'verification-session' | 'credential-offer-session'

/** One state of a session: its position in the session's sequence, from 1, and the session as it then was. */
export interface SessionEvent {
  readonly seq: number
  /** The session's JSON, as callers see it. */
  readonly data: Readonly<Record<string, unknown>>
}

/** A session whose events after a position are wanted. */
export interface EventsWanted {
  readonly sessionId: string
  readonly after: number
}

/** Of a statement that returns the sessions which it moved, each with the number of its event. */
export const eventRow = z.strictObject({ id: z.string(), seq: z.int() })

/** Tells every process of events, once the statement that recorded them is committed. */
export type Announce = (recorded: readonly z.infer<typeof eventRow>[] | null | undefined) => void

/** Of `recordedEvents`. */
export const recordedShape = { recorded: z.array(eventRow).nullable() }

/**
 * A column `recorded` of a statement with `recordEvents` that returns other rows: what it recorded.
 */
export const recordedEvents = fragment`
  (SELECT jsonb_agg(jsonb_build_object('id', session_id, 'seq', seq)) FROM recorded_events) AS recorded`

/** In the place of `recordEvents` where there is no session. */
export const nothingRecorded = fragment`recorded_events AS (SELECT NULL::text AS session_id, 0 AS seq WHERE false)`

/**
 * A common table expression `recorded_events` that stores the event of a transition. It must be part of the statement that
 * makes the transition, so that neither happens without the other; what it recorded is announced once that is committed, but
 * for the first event of a session, whose id nobody knows yet:
 *
 * ```ts
 * const rows = await sql(eventRow)`
 *   WITH moved AS (UPDATE sessions SET state = …, seq = seq + 1 WHERE id = … AND state = … RETURNING *),
 *   ${recordEvents('verification-session', fragment`SELECT id, seq, ${json}::jsonb AS data FROM moved`, now)}
 *   SELECT id, seq FROM moved`
 * announce(rows)
 * ```
 *
 * @param rows a query for `id` (of the session), `seq` (grows by one with every event) and `data` (the session's JSON).
 */
export function recordEvents(kind: SessionKind, rows: Fragment, at: Date): Fragment {
  return fragment`
    recorded_events AS (
      INSERT INTO session_events (session_id, kind, seq, data, at)
      SELECT id, ${kind}, seq, data, ${at} FROM (${rows}) AS changed
      RETURNING session_id, seq)`
}

/**
 * The JSON of a session's newest event with some members replaced: what a transition that changes no other member may
 * give as its event's `data`.
 *
 * @param session SQL for the session's id, as `recordEvents` stores it; `changes` the members as JSON.
 */
export function latestDataWith(session: Fragment, changes: Fragment): Fragment {
  return fragment`(
    SELECT e.data FROM session_events e WHERE e.session_id = ${session} ORDER BY e.seq DESC LIMIT 1) || ${changes}`
}

const eventShape = { seq: z.int(), data: json<SessionEvent['data']>() }

const zEvent: z.ZodType<SessionEvent> = z.strictObject(eventShape)

export type EventStore = ReturnType<typeof createEventStore>

export function createEventStore({ sql }: Database) {
  return {
    /** A session's newest event: the session as it is now. Nothing for an unknown session. */
    async latest(kind: SessionKind, sessionId: string): Promise<SessionEvent | undefined> {
      const [row] = await sql(zEvent)`
        SELECT seq, data FROM session_events WHERE session_id = ${sessionId} AND kind = ${kind} ORDER BY seq DESC LIMIT 1`
      return row
    },

    /** Of many sessions those that have the very next event after a position, in one statement. */
    async moved(wanted: readonly EventsWanted[]): Promise<string[]> {
      const ids = wanted.map(({ sessionId }) => sessionId)
      const positions = wanted.map(({ after }) => after)
      const rows = await sql(idRow)`
        SELECT e.session_id AS id FROM unnest(${ids}::text[], ${positions}::int[]) AS w(session_id, after)
        JOIN session_events e ON e.session_id = w.session_id AND e.seq = w.after + 1`
      return rows.map(({ id }) => id)
    },

    /** The events of many sessions after a position each, in order, in one statement. */
    after(wanted: readonly EventsWanted[]): Promise<(SessionEvent & { readonly sessionId: string })[]> {
      const ids = wanted.map(({ sessionId }) => sessionId)
      const positions = wanted.map(({ after }) => after)
      return sql(z.strictObject({ ...eventShape, sessionId: z.string() }))`
        SELECT e.session_id AS "sessionId", e.seq, e.data
        FROM unnest(${ids}::text[], ${positions}::int[]) AS w(session_id, after)
        JOIN session_events e ON e.session_id = w.session_id AND e.seq > w.after
        ORDER BY e.session_id, e.seq`
    },
  }
}
