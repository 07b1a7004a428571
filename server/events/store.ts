import { z } from 'zod'
import type { Database } from '../database/connect.js'
import { type Fragment, fragment, Step } from '../database/fragment.js'
import { idRow, json } from '../database/row-shapes.js'

/** A request for the events of a session after a position. */
export interface EventsWanted {
  readonly sessionId: string
  readonly after: number
}

export const zEvent = z.strictObject({
  seq: z.int(),
  /** The session as the API returns it. */
  data: json<Readonly<Record<string, unknown>>>(),
})

/**
 * One state of a session: its number in the session's sequence of states, which begins with 1, and the session's data
 * in this state. The newest event is the session's current state.
 */
export type SessionEvent = z.infer<typeof zEvent>

/** Row shape for statements that return the sessions they changed, each with the event that the change recorded. */
export const eventRow = zEvent.extend({ id: z.string() })

const zEventOfSession = zEvent.extend({ sessionId: z.string() })

/**
 * A session and the number of an event that was recorded for it. Without `data`, waiting readers read the event from
 * the database.
 */
export interface RecordedEvent {
  readonly id: string
  readonly seq: number
  readonly data?: SessionEvent['data']
}

/** Announces events to every process, after the statement that recorded them is committed. */
export type Announce = (recorded: readonly RecordedEvent[] | null | undefined) => void

/** Row shape of the column `recordedEvents`. */
export const recordedShape = { recorded: z.array(eventRow).nullable() }

/** The step that `recordEvents` returns. */
export type Transitions = Step<'id' | 'seq' | 'data'>

/**
 * A column `recorded` with the events that the step has recorded. It is for a statement whose rows are not these
 * events.
 */
export const recordedEvents = (transitions: Transitions): Fragment => fragment`
  (SELECT jsonb_agg(jsonb_build_object('id', id, 'seq', seq, 'data', data)) FROM ${transitions}) AS recorded`

/** Replaces `recordEvents` in a statement without a session: records nothing. */
export const nothingRecorded: Transitions = new Step<'id' | 'seq' | 'data'>(
  'transitions',
  fragment`SELECT NULL::text AS id, 0 AS seq, NULL::jsonb AS data WHERE false`,
)

/**
 * Makes the step that stores the events of changed sessions. The step must be part of the statement that changes the
 * sessions, so that changes and events are stored together or not at all. Announce the recorded events after the
 * commit. The first event of a session is not in this table: the row of the session contains it as `first_view`. The
 * first event needs no announcement.
 *
 * ```ts
 * const moved = new Step('moved', MOVED, fragment`UPDATE sessions SET state = …, seq = seq + 1 WHERE id = … RETURNING *`)
 * const transitions = recordEvents(fragment`SELECT id, seq, first_view, ${changes} AS changes FROM ${moved}`, now)
 * const rows = await sql(eventRow)`SELECT id, seq, data FROM ${transitions}`
 * announce(rows)
 * ```
 *
 * @param rows a query for `id` (of the session), `seq` (grows by one with every event), `first_view`, and `changes`.
 * `changes` holds all members of the session's JSON that differ from `first_view`, also the members that earlier
 * changes of the session changed. A member is never removed.
 */
export function recordEvents(rows: Fragment, at: Date): Transitions {
  const transitions = new Step<'id' | 'seq' | 'changes' | 'data'>(
    'transitions',
    fragment`SELECT id, seq, changes, first_view || changes AS data FROM (${rows}) AS moved_on`,
  )
  const recorded = new Step(
    'recorded_events',
    fragment`INSERT INTO session_events (session_id, seq, changes, at) SELECT id, seq, changes, ${at} FROM ${transitions}`,
  )
  return transitions.along(recorded)
}

/**
 * Joins, as `s`, the sessions of `w`, which may be offers or presentation requests. All events of a session are after
 * `s.since`, even if clocks differ. So PostgreSQL skips earlier partitions.
 */
const sessionsWanted = fragment`
  CROSS JOIN LATERAL (
    SELECT first_view, created_at - interval '5 minutes' AS since FROM verification_sessions WHERE id = w.session_id
    UNION ALL SELECT first_view, created_at - interval '5 minutes' FROM credential_offer_sessions WHERE id = w.session_id
    LIMIT 1) s`

export type EventStore = ReturnType<typeof createEventStore>

export function createEventStore({ sql }: Database) {
  return {
    /** Finds, in one statement, the wanted sessions that already have the next event after their position. */
    async moved(wanted: readonly EventsWanted[]): Promise<string[]> {
      const ids = wanted.map(({ sessionId }) => sessionId)
      const positions = wanted.map(({ after }) => after)
      const rows = await sql(idRow)`
        SELECT e.session_id AS id FROM unnest(${ids}::text[], ${positions}::int[]) AS w(session_id, after)
        ${sessionsWanted}
        JOIN session_events e ON e.session_id = w.session_id AND e.seq = w.after + 1 AND e.at >= s.since`
      return rows.map(({ id }) => id)
    },

    /** Reads, in one statement, the events of many sessions after their positions, in order. */
    after(wanted: readonly EventsWanted[]): Promise<z.infer<typeof zEventOfSession>[]> {
      const ids = wanted.map(({ sessionId }) => sessionId)
      const positions = wanted.map(({ after }) => after)
      return sql(zEventOfSession)`
        SELECT w.session_id AS "sessionId", e.seq, s.first_view || e.changes AS data
        FROM unnest(${ids}::text[], ${positions}::int[]) AS w(session_id, after)
        ${sessionsWanted}
        CROSS JOIN LATERAL (
          SELECT seq, changes FROM session_events WHERE session_id = w.session_id AND seq > w.after AND at >= s.since
          UNION ALL SELECT 1, '{}'::jsonb WHERE w.after < 1) e
        ORDER BY w.session_id, e.seq`
    },

    /**
     * Finds an existing session with events in a period; undefined if there is no such session.
     *
     * @param since undefined for a period from the first event on
     * @param known a session that is checked first
     */
    async remaining(since: Date | undefined, until: Date, known: string | undefined): Promise<string | undefined> {
      const [row] = await sql(idRow)`
        SELECT e.session_id AS id
        FROM (
          SELECT ${known ?? null}::text AS session_id
          UNION ALL SELECT session_id FROM session_events
          WHERE at >= ${since?.toISOString() ?? '-infinity'}::timestamptz AND at < ${until}) e
        CROSS JOIN LATERAL (
          SELECT 1 FROM verification_sessions WHERE id = e.session_id
          UNION ALL SELECT 1 FROM credential_offer_sessions WHERE id = e.session_id) s
        LIMIT 1`
      return row?.id
    },

    /**
     * Reads the next events of a period, at most `limit`, and removes the events whose session no longer exists.
     *
     * @param since undefined for a period from the first event on
     * @param after the last event of the previous call
     * @returns the number of removed events, and the last event that was read; undefined if there was none
     */
    async removeOrphans(
      since: Date | undefined,
      until: Date,
      { sessionId, after }: EventsWanted,
      limit: number,
    ): Promise<{ readonly count: number; readonly last: EventsWanted } | undefined> {
      const ofTime = fragment`at >= ${since?.toISOString() ?? '-infinity'}::timestamptz AND at < ${until}`
      const [row] = await sql(z.strictObject({ count: z.int(), sessionId: z.string(), after: z.int() }))`
        WITH looked AS (
          SELECT session_id, seq, at AS moment FROM session_events
          WHERE ${ofTime} AND (session_id, seq) > (${sessionId}, ${after}::int) ORDER BY session_id, seq LIMIT ${limit}),
        orphans AS (
          SELECT * FROM looked l
          WHERE NOT EXISTS (SELECT FROM verification_sessions WHERE id = l.session_id)
            AND NOT EXISTS (SELECT FROM credential_offer_sessions WHERE id = l.session_id)),
        removed AS (
          DELETE FROM session_events e USING orphans o
          WHERE ${ofTime} AND e.session_id = o.session_id AND e.seq = o.seq AND e.at = o.moment RETURNING e.seq)
        SELECT (SELECT count(*)::int FROM removed) AS count, session_id AS "sessionId", seq AS after
        FROM looked ORDER BY session_id DESC, seq DESC LIMIT 1`
      return row === undefined ? undefined : { count: row.count, last: { sessionId: row.sessionId, after: row.after } }
    },
  }
}
