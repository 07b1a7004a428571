import { z } from 'zod'
import { type BatchDone, batchDone, batchRow } from '../../database/batch.js'
import type { Database } from '../../database/connect.js'
import { type Fragment, fragment, Step } from '../../database/fragment.js'
import { idRow, noRow, publicJwk } from '../../database/row-shapes.js'
import { listIdOf, type WatchedStatus } from './watched.js'

/** Seconds after which a list is read again. The remaining hour of the day is for retries and for busy processes. */
export const READ_AGAIN_SECONDS = 23 * 60 * 60

const secondsAfter = (now: Date, seconds: number): Date => new Date(now.getTime() + seconds * 1000)

/** The highest number of rows that one statement marks. */
const MARKED_AT_ONCE = 5_000
const LONGEST_FAILURE = 300

/** Condition: a row `w` has a status that its provider still maintains, and that was valid so far. */
const isWatched = (now: Date): Fragment =>
  fragment`w.invalid_at IS NULL AND (w.ends_at IS NULL OR w.ends_at > ${now}::timestamptz)`

/**
 * The steps that store the statuses of the attestations for a credential. A list that is new was read during the issuance.
 *
 * @param watched may be empty; then there are no steps
 */
export function watchSteps(watched: readonly WatchedStatus[], credential: Step<'id'>, now: Date): readonly Step[] {
  if (watched.length === 0) return []
  // Two issuances may insert the same lists. They insert them in the same order, so that they do not wait for each other.
  const rows = watched
    .map((status) => ({ ...status, listId: listIdOf(status) }))
    .toSorted((a, b) => (a.listId < b.listId ? -1 : 1))
  const lists = new Step(
    'attestation_lists_named',
    fragment`
      INSERT INTO attestation_lists (id, uri, signer_jwk, signer_iss, due_at, read_at)
      SELECT w.list_id, w.uri, w.jwk::json, NULLIF(w.iss, ''), ${secondsAfter(now, READ_AGAIN_SECONDS)}::timestamptz, ${now}::timestamptz
      FROM ${credential}, unnest(${rows.map(({ listId }) => listId)}::text[], ${rows.map(({ uri }) => uri)}::text[],
        ${rows.map(({ jwk }) => JSON.stringify(jwk))}::text[], ${rows.map(({ iss }) => iss ?? '')}::text[]) AS w(list_id, uri, jwk, iss)
      ON CONFLICT (id) DO NOTHING`,
  )
  const positions = new Step(
    'attestations_watched',
    fragment`
      INSERT INTO watched_attestations (credential_id, list_id, idx, kind, ends_at)
      SELECT ${credential.column('id')}, w.list_id, w.idx, w.kind, NULLIF(w.ends_at, '')::timestamptz
      FROM ${credential}, unnest(${rows.map(({ listId }) => listId)}::text[], ${rows.map(({ idx }) => idx)}::int[],
        ${rows.map(({ kind }) => kind)}::text[], ${rows.map(({ until }) => until ?? '')}::text[]) AS w(list_id, idx, kind, ends_at)
      ON CONFLICT DO NOTHING`,
  )
  return [lists, positions]
}

const zDueList = z.strictObject({
  id: z.string(),
  uri: z.string(),
  jwk: publicJwk,
  iss: z.string().nullable(),
  failedAt: z.date().nullable(),
  /** When the list was due. */
  at: z.date(),
  isWatched: z.boolean(),
})

/** A list that is due, with the signer of the attestations that name it. */
export type DueList = z.infer<typeof zDueList>

const zIndex = z.strictObject({ idx: z.int() })

const zUnreadable = z.strictObject({
  count: z.int(),
  unreadable: z.int(),
  since: z.date().nullable(),
  uri: z.string().nullable(),
  failure: z.string().nullable(),
})

/** The lists of wallet providers that have watched attestations. `uri` and `failure` belong to the list that failed first. */
export type ListsOverview = z.infer<typeof zUnreadable>

export type AttestationWatchStore = ReturnType<typeof createAttestationWatchStore>

/** The status lists of wallet providers, and the positions in them that decide about issued credentials. */
export function createAttestationWatchStore({ sql }: Database) {
  return {
    /**
     * Takes lists that are due. No other process takes them until `leaseSeconds` have passed, or until their outcome is stored.
     *
     * @param limit the highest number of lists
     */
    async takeDue(now: Date, limit: number, leaseSeconds: number): Promise<DueList[]> {
      const due = new Step<'id' | 'at'>(
        'due',
        fragment`
          SELECT id, due_at AS at FROM attestation_lists WHERE due_at <= ${now}
          ORDER BY due_at, id LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED`,
      )
      return sql(zDueList)`
        UPDATE attestation_lists l SET due_at = ${secondsAfter(now, leaseSeconds)}::timestamptz FROM ${due}
        WHERE l.id = ${due.column('id')}
        RETURNING l.id, l.uri, l.signer_jwk AS jwk, l.signer_iss AS iss, l.failed_at AS "failedAt", ${due.column('at')},
          EXISTS (
            SELECT 1 FROM watched_attestations w JOIN credentials c ON c.id = w.credential_id
            WHERE w.list_id = l.id AND ${isWatched(now)} AND c.revoked_at IS NULL) AS "isWatched"`
    },

    /** The watched indices of a list above `after`, in ascending order, at most `limit`. */
    async indices(listId: string, after: number, limit: number, now: Date): Promise<number[]> {
      const rows = await sql(zIndex)`
        SELECT DISTINCT w.idx FROM watched_attestations w
        WHERE w.list_id = ${listId} AND w.idx > ${after} AND ${isWatched(now)} ORDER BY w.idx LIMIT ${limit}`
      return rows.map(({ idx }) => idx)
    },

    /** Marks the attestations at these indices of a list as revoked. Their credentials are then to be revoked. */
    async markInvalid(listId: string, indices: readonly number[], now: Date): Promise<void> {
      for (let more = indices.length > 0; more; ) {
        const marked = await sql(idRow)`
          UPDATE watched_attestations t SET invalid_at = ${now}
          WHERE t.ctid IN (
            SELECT w.ctid FROM watched_attestations w
            WHERE w.list_id = ${listId} AND w.idx = ANY(${[...indices]}::int[]) AND ${isWatched(now)}
            LIMIT ${MARKED_AT_ONCE} FOR UPDATE)
          RETURNING t.credential_id AS id`
        more = marked.length >= MARKED_AT_ONCE
      }
    },

    /** Stores that a list was read. It is due again after {@link READ_AGAIN_SECONDS}. */
    async storeRead(listId: string, now: Date): Promise<void> {
      await sql(noRow)`
        UPDATE attestation_lists SET read_at = ${now}, due_at = ${secondsAfter(now, READ_AGAIN_SECONDS)}::timestamptz,
          failed_at = NULL, failure = NULL WHERE id = ${listId}`
    },

    /** Stores that nothing in a list has to be looked at. Nothing was read. */
    async storeIdle(listId: string, now: Date): Promise<void> {
      await sql(noRow)`
        UPDATE attestation_lists SET due_at = ${secondsAfter(now, READ_AGAIN_SECONDS)}::timestamptz, failed_at = NULL, failure = NULL
        WHERE id = ${listId}`
    },

    /** Stores that a list could not be read. It is due again after `retrySeconds`. */
    async storeFailure(listId: string, failure: string, now: Date, retrySeconds: number): Promise<void> {
      await sql(noRow)`
        UPDATE attestation_lists SET due_at = ${secondsAfter(now, retrySeconds)}::timestamptz,
          failed_at = COALESCE(failed_at, ${now}::timestamptz), failure = ${failure.slice(0, LONGEST_FAILURE)}
        WHERE id = ${listId}`
    },

    /** Credentials that are to be revoked, at most `limit`. */
    async toRevoke(limit: number): Promise<string[]> {
      const rows = await sql(idRow)`
        SELECT DISTINCT w.credential_id AS id FROM (
          SELECT credential_id FROM watched_attestations
          WHERE invalid_at IS NOT NULL AND settled_at IS NULL ORDER BY invalid_at LIMIT ${limit}) w`
      return rows.map(({ id }) => id)
    },

    /** Stores that a credential was revoked because of its attestations. */
    async settle(credentialId: string, now: Date): Promise<BatchDone> {
      const rows = await sql(batchRow)`
        UPDATE watched_attestations SET settled_at = ${now}
        WHERE credential_id = ${credentialId} AND invalid_at IS NOT NULL AND settled_at IS NULL RETURNING invalid_at AS at`
      return batchDone(rows, rows.length + 1)
    },

    /** Numbers of the lists with watched attestations, and the list that failed first. */
    async overview(): Promise<ListsOverview> {
      const [row] = await sql(zUnreadable)`
        SELECT count(*)::int AS count, count(failed_at)::int AS unreadable, min(failed_at) AS since,
          (array_agg(uri ORDER BY failed_at))[1] AS uri, (array_agg(failure ORDER BY failed_at))[1] AS failure
        FROM attestation_lists`
      return row ?? { count: 0, unreadable: 0, since: null, uri: null, failure: null }
    },
  }
}
