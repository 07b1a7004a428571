import { z } from 'zod'
import type { Database } from '../../database/connect.js'
import type { Fragment } from '../../database/fragment.js'
import type { Lists } from '../../database/replica/lists.js'
import { json } from '../../database/row-shapes.js'

/** What an audit event says that something was done to. `id`: its number. */
export interface News {
  readonly id: number
  readonly subject: string
  readonly subjectId: string
}

/** Things whose states are wanted, by their ids. */
export interface StatesWanted {
  readonly offerSessions: readonly string[]
  readonly verificationSessions: readonly string[]
  readonly credentials: readonly string[]
  readonly schemas: readonly string[]
}

const zNewsPage = z.strictObject({
  /** In the order of their numbers. */
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

/** A thing that has a state, as it is now. */
export type ListedState = z.infer<typeof zState>

const zOpenSession = zState.extend({ kind: z.enum(['credential-offer-session', 'verification-session']) })

/** A session of either kind, as it is now. */
export type OpenSession = z.infer<typeof zOpenSession>

export type SessionKey = Pick<OpenSession, 'kind' | 'id'>

export type ChangeStore = ReturnType<typeof createChangeStore>

/** How rows tell their states. */
export interface StatesOfThings {
  /** The states of credential offer sessions that have not ended. */
  readonly openStates: readonly string[]
  /** The status of a row of `credentials`, in SQL. */
  readonly credentialStatus: Fragment
}

export function createChangeStore({ bounded, sql }: Database, { openStates, credentialStatus }: StatesOfThings) {
  return {
    /** The number of the newest audit event; 0 where there is none. */
    async newest(): Promise<number> {
      const [row] = await sql(z.strictObject({ id: z.number() }))`
        SELECT COALESCE(max(id), 0)::float8 AS id FROM audit_events`
      return row?.id ?? 0
    },

    /**
     * Audit events with a number above `after`, at most `limit`, and those of `missing` numbers that are there by now.
     * A transaction of more than an hour is not waited for, so that PostgreSQL looks in the newest partitions alone.
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

    /** The states of what there is; a credential brings the session that it was taken in. */
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

    /** The newest sessions of both kinds that have not ended, at most `limit` of each state. */
    openSessions: (limit: number): Promise<OpenSession[]> =>
      bounded(zOpenSession)`
        SELECT 'credential-offer-session' AS kind, newest.id, states.state FROM unnest(${[...openStates]}::text[]) AS states(state)
        CROSS JOIN LATERAL (
          SELECT id FROM credential_offer_sessions WHERE state = states.state ORDER BY created_at DESC LIMIT ${limit}) newest
        UNION ALL
        (SELECT 'verification-session', id, state FROM verification_sessions WHERE ended_at IS NULL ORDER BY created_at DESC LIMIT ${limit})`,
  }
}

/** What changed, as lists have it: of the replica where they are read from one. */
export function changesIn(lists: Pick<Lists<ChangeStore>, 'readerFor'>): ChangeStore {
  const from = async <T>(read: (store: ChangeStore) => Promise<T>) => (await lists.readerFor([]))(read)
  return {
    newest: () => from((store) => store.newest()),
    news: (...args) => from((store) => store.news(...args)),
    states: (wanted) => from((store) => store.states(wanted)),
    openSessions: (limit) => from((store) => store.openSessions(limit)),
  }
}
