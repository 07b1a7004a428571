import { z } from 'zod'
import type { Database } from '../database/connect.js'
import { json } from '../database/row-shapes.js'
import { Prisma } from '../generated/prisma/client.js'

/** Postgres channel on which events are announced. */
export const EVENT_CHANNEL = 'credence_events'

/** Whose events they are: one sequence for each session of either kind. */
export type SessionKind = 'verification-session' | 'credential-offer-session'

/** One state of a session: its position in the session's sequence, from 1, and the session as it then was. */
export interface SessionEvent {
  readonly seq: number
  /** The session's JSON, as callers see it. */
  readonly data: Readonly<Record<string, unknown>>
}

/** Octets of JSON that an announcement carries; PostgreSQL has room for just under 8,000 in all. */
const MAX_ANNOUNCED = 7_500

/** The session that a notification's payload, `<session id>` or `<session id> <seq> <JSON>`, speaks of. */
export const announcedSession = (payload: string): string => payload.split(' ', 1)[0] ?? ''

/** The event that a notification's payload brings; undefined where it was too long, and is to be read. */
export function announcedEvent(payload: string): SessionEvent | undefined {
  const [, seq, json] = /^\S+ (\d+) (.+)$/s.exec(payload) ?? []
  if (json === undefined) return undefined
  try {
    return { seq: Number(seq), data: JSON.parse(json) }
  } catch {
    // Not a payload of this service: treated as a notification without an event.
    return undefined
  }
}

/** A session whose events after a position are wanted. */
export interface EventsWanted {
  readonly sessionId: string
  readonly after: number
}

/**
 * A common table expression `recorded_events` that stores the event of a transition and notifies every process; except of
 * the first event, since no client knows the session's id yet. It must be part of the statement that makes the
 * transition, so that neither happens without the other:
 *
 * ```sql
 * WITH moved AS (UPDATE sessions SET state = …, seq = seq + 1 WHERE id = … AND state = … RETURNING *),
 * ${recordEvents('verification-session', Prisma.sql`SELECT id, seq, ${json}::jsonb AS data FROM moved`, now)}
 * SELECT … FROM moved
 * ```
 *
 * @param rows a query for `id` (of the session), `seq` (grows by one with every event) and `data` (the session's JSON).
 */
export function recordEvents(kind: SessionKind, rows: Prisma.Sql, at: Date): Prisma.Sql {
  return Prisma.sql`
    recorded_events AS (
      INSERT INTO session_events (session_id, kind, seq, data, at)
      SELECT id, ${kind}, seq, data, ${at} FROM (${rows}) AS changed
      RETURNING session_id, CASE WHEN seq > 1 THEN
        pg_notify(${EVENT_CHANNEL}, CASE WHEN octet_length(data::text) > ${MAX_ANNOUNCED}
          THEN session_id ELSE session_id || ' ' || seq || ' ' || data::text END)::text END)`
}

/**
 * The JSON of a session's newest event with some members replaced: what a transition that changes no other member may
 * give as its event's `data`.
 *
 * @param session SQL for the session's id, as `recordEvents` stores it; `changes` the members as JSON.
 */
export function latestDataWith(session: Prisma.Sql, changes: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(
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
