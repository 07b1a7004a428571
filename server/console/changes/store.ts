import { z } from 'zod'
import type { Database } from '../../database/connect.js'
import type { Fragment } from '../../database/fragment.js'
import type { Lists } from '../../database/replica/lists.js'
import { json } from '../../database/row-shapes.js'

/** The subject of an audit event. `id` is the event's number. */
export interface News {
  readonly id: number
  readonly subject: string
  readonly subjectId: string
}

/** The ids of entries whose states are needed. */
export interface StatesWanted {
  readonly offerSessions: readonly string[]
  readonly verificationSessions: readonly string[]
  readonly credentials: readonly string[]
  readonly schemas: readonly string[]
}

const zNewsPage = z.strictObject({
  /** Audit events in the order of their numbers. */
  events: json<News[]>(),
  /** The number of the newest event that statistics count. */
  counted: z.string(),
})

/** Audit events after a position. */
export type NewsPage = z.infer<typeof zNewsPage>

const zState = z.strictObject({
  kind: z.enum(['credential-offer-session', 'verification-session', 'credential', 'schema']),
  id: z.string(),
  state: z.string(),
})

/** An entry with its current state. */
export type ListedState = z.infer<typeof zState>

const zOpenSession = zState.extend({ kind: z.enum(['credential-offer-session', 'verification-session']) })

/** An offer session or verification session with its current state. */
export type OpenSession = z.infer<typeof zOpenSession>

export type SessionKey = Pick<OpenSession, 'kind' | 'id'>

export type ChangeStore = ReturnType<typeof createChangeStore>

/** The parts of other features that the statements need to read states. */
export interface StatesOfThings {
  /** The states of credential offer sessions that have not ended. */
  readonly openStates: readonly string[]
  /** The status of a row of `credentials`, in SQL. */
  readonly credentialStatus: Fragment
}

export function createChangeStore({ bounded, sql }: Database, { openStates, credentialStatus }: StatesOfThings) {
  return {
    /** The number of the newest audit event; 0 if there is none. */
    async newest(): Promise<number> {
      const [row] = await sql(z.strictObject({ id: z.number() }))`
        SELECT COALESCE(max(id), 0)::float8 AS id FROM audit_events`
      return row?.id ?? 0
    },

    /**
     * Returns at most `limit` audit events with a number above `after`, and the events of `missing` numbers that have
     * been committed since. Only events of the last hour are searched, so that PostgreSQL reads only the newest
     * partitions. So events of a transaction that takes longer than an hour are not found.
     */
    async news(after: number, missing: readonly number[], limit: number): Promise<NewsPage> {
      const [row] = await sql(zNewsPage)`
        WITH late AS MATERIALIZED (
          SELECT id, subject, subject_id FROM audit_events
          WHERE id = ANY(${missing}::bigint[]) AND at > now() - interval '1 hour'),
        fresh AS MATERIALIZED (
          SELECT id, subject, subject_id FROM audit_events
          WHERE id > ${after}::bigint AND at > now() - interval '1 hour' ORDER BY id LIMIT ${limit})
        SELECT COALESCE((
            SELECT json_agg(json_build_object('id', id, 'subject', subject, 'subjectId', subject_id) ORDER BY id)
            FROM (TABLE late UNION ALL TABLE fresh) AS news), '[]') AS events,
          COALESCE((SELECT high::text FROM statistics_progress), '') AS counted`
      return row ?? { events: [], counted: '' }
    },

    /**
     * Returns the current states of the entries that exist. For a credential, the session in which a wallet took it is
     * returned too.
     */
    states: ({ offerSessions, verificationSessions, credentials, schemas }: StatesWanted): Promise<ListedState[]> =>
      sql(zState)`
        WITH offers AS MATERIALIZED (
          SELECT unnest(${offerSessions}::text[]) AS id
          UNION SELECT offering_id FROM redemptions WHERE credential_id = ANY(${credentials}::text[]))
        SELECT 'credential-offer-session' AS kind, s.id, s.state FROM offers JOIN credential_offer_sessions s ON s.id = offers.id
        UNION ALL SELECT 'verification-session', id, state FROM verification_sessions WHERE id = ANY(${verificationSessions}::text[])
        UNION ALL
        SELECT 'credential', id, ${credentialStatus} FROM credentials
        WHERE id = ANY(${credentials}::text[])
        UNION ALL
        SELECT 'schema', id, CASE WHEN withdrawn_at IS NULL THEN 'published' ELSE 'withdrawn' END FROM schemas
        WHERE id = ANY(${schemas}::text[])`,

    /**
     * Returns the newest offer sessions and verification sessions that have not ended, at most `limit` in each state.
     */
    openSessions: (limit: number): Promise<OpenSession[]> =>
      bounded(zOpenSession)`
        SELECT 'credential-offer-session' AS kind, newest.id, states.state FROM unnest(${[...openStates]}::text[]) AS states(state)
        CROSS JOIN LATERAL (
          SELECT id FROM credential_offer_sessions WHERE state = states.state ORDER BY created_at DESC LIMIT ${limit}) newest
        UNION ALL
        (SELECT 'verification-session', id, state FROM verification_sessions WHERE ended_at IS NULL ORDER BY created_at DESC LIMIT ${limit})`,
  }
}

/** Reads changes from the same database as lists: from the replica, if lists read it. */
export function changesIn(lists: Pick<Lists<ChangeStore>, 'readerFor'>): ChangeStore {
  const from = async <T>(read: (store: ChangeStore) => Promise<T>) => (await lists.readerFor([]))(read)
  return {
    newest: () => from((store) => store.newest()),
    news: (...args) => from((store) => store.news(...args)),
    states: (wanted) => from((store) => store.states(wanted)),
    openSessions: (limit) => from((store) => store.openSessions(limit)),
  }
}
