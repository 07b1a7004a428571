import { z } from 'zod'
import { audited } from '../../database/audited.js'
import { type BatchDone, batchDone, batchRow, lockedBatch } from '../../database/batch.js'
import type { Database } from '../../database/connect.js'
import { type Fragment, fragment, identifier, Step } from '../../database/fragment.js'
import { lockedBefore } from '../../database/lock-order.js'
import { madeBy } from '../../database/made-by.js'

/** The person who erases claims. */
export interface Eraser {
  /** The `sub` of the person; null for a client secret. */
  readonly actor: string | null
  /** Only records of this creator are erased; undefined for an operator, who may erase all. */
  readonly creator: string | null | undefined
}

const zErased = z.strictObject({ at: z.date() })
const zOverdue = z.strictObject({ credentials: z.int(), offerings: z.int(), records: z.int() })

/** The highest number of overdue rows that are counted in one table. */
export const MOST_OVERDUE = 10_000

/** The column with the claims of each table. */
const CLAIMS = { credentials: 'vc', offerings: 'credential_subject' } as const

/** A query for rows that are due at a moment, in an expression that counts at most {@link MOST_OVERDUE}. */
const overdue = (table: string, column: string, now: Date): Fragment => fragment`
  (SELECT count(*)::int FROM (
    SELECT 1 FROM ${identifier(table)} WHERE ${identifier(column)} <= ${now} LIMIT ${MOST_OVERDUE}) due)`

/** The locked sessions of offers. An erasure removes their transaction codes and reasons. */
const heldSession = (ids: Fragment): Step =>
  new Step(
    'held_session',
    fragment`SELECT 1 FROM credential_offer_sessions WHERE id IN (${ids}) ORDER BY id FOR UPDATE`,
  )

/** Offerings that are due, locked after their sessions. Rows that another statement has locked are skipped. */
function dueOfferings(isDue: Fragment, limit: number): Fragment {
  const wanted = new Step<'id' | 'is_session'>(
    'wanted',
    fragment`SELECT id, is_session FROM offerings WHERE ${isDue} ORDER BY claims_due_at LIMIT ${limit}`,
  )
  const sessions = new Step<'id'>(
    'held_sessions',
    fragment`
      SELECT id FROM credential_offer_sessions WHERE id IN (SELECT id FROM ${wanted}) FOR UPDATE SKIP LOCKED`,
  )
  const free = fragment`
    SELECT id FROM ${wanted} w WHERE NOT w.is_session OR w.id IN (SELECT id FROM ${sessions})
      OR NOT EXISTS (SELECT 1 FROM credential_offer_sessions x WHERE x.id = w.id)`
  return fragment`
    SELECT id AS key FROM offerings WHERE id IN (${free}) AND ${isDue} AND ${lockedBefore(sessions)} FOR UPDATE SKIP LOCKED`
}

export type ErasureStore = ReturnType<typeof createErasureStore>

/**
 * Erases claims. The database function `erase_claims` erases a credential and its offering together. Triggers delete content keys
 * with the claims. Afterwards no statement stores claims in these rows again.
 */
export function createErasureStore({ sql }: Database) {
  /** Erases the claims of rows that are due, at most `limit`. Their content keys are deleted with the claims. */
  const eraseDue = async (
    table: keyof typeof CLAIMS,
    subject: 'credential' | 'offering',
    now: Date,
    limit: number,
  ): Promise<BatchDone> => {
    const isDue = fragment`claims_due_at <= ${now}`
    const due = new Step<'key'>(
      'due',
      table === 'offerings'
        ? dueOfferings(isDue, limit)
        : lockedBatch({ table, key: 'id', due: isDue, by: 'claims_due_at', limit }),
    )
    const erased = new Step<'id' | 'at'>(
      'erased',
      fragment`
        UPDATE ${identifier(table)} t SET ${identifier(CLAIMS[table])} = NULL, claims_erased_at = ${now}, claims_due_at = NULL
        FROM ${due} JOIN ${identifier(table)} before ON before.id = ${due.column('key')}
        WHERE t.id = ${due.column('key')} RETURNING t.id, before.claims_due_at AS at`,
    )
    const recorded = audited({ of: erased, actor: null, action: `${subject}.claims_erased`, subject })
    return batchDone(await sql(batchRow, [recorded])`SELECT at FROM ${erased}`, limit)
  }

  return {
    /**
     * Erases the claims of a credential, and of its offering if the offering has one redemption.
     *
     * @returns when they were erased; undefined if the credential is unknown or belongs to another person
     */
    async eraseCredential(id: string, { actor, creator }: Eraser, now: Date): Promise<Date | undefined> {
      const session = heldSession(fragment`
        SELECT r.offering_id FROM redemptions r JOIN credentials c ON c.id = r.credential_id
        WHERE r.credential_id = ${id} AND ${madeBy(fragment`c.owner`, creator)}`)
      const [row] = await sql(zErased)`
        SELECT erase_claims(c.id, NULL, ${now}, ${actor}) AS at FROM credentials c
        WHERE c.id = ${id} AND ${madeBy(fragment`c.owner`, creator)} AND ${lockedBefore(session)}`
      return row?.at
    },

    /** Erases the claims of an offering that REST shows. @returns as `eraseCredential` does */
    async eraseOffering(id: string, actor: string | null, now: Date): Promise<Date | undefined> {
      const [row] = await sql(zErased)`
        SELECT erase_claims(NULL, o.id, ${now}, ${actor}) AS at FROM offerings o
        WHERE o.id = ${id} AND NOT o.is_session AND NOT o.of_authorization`
      return row?.at
    },

    /**
     * Erases the claims of a credential offer, or of an offer that was made for an authorization, and of its credential.
     *
     * @returns as `eraseCredential` does
     */
    async eraseCredentialOffer(id: string, { actor, creator }: Eraser, now: Date): Promise<Date | undefined> {
      const session = heldSession(
        fragment`SELECT x.id FROM credential_offer_sessions x WHERE x.id = ${id} AND ${madeBy(fragment`x.created_by`, creator)}`,
      )
      const [row] = await sql(zErased)`
        SELECT erase_claims(NULL, o.id, ${now}, ${actor}) AS at
        FROM offerings o LEFT JOIN credential_offer_sessions x ON x.id = o.id
        WHERE o.id = ${id} AND (o.is_session OR o.of_authorization) AND ${madeBy(fragment`x.created_by`, creator)}
          AND ${lockedBefore(session)}`
      return row?.at
    },

    /** Erases the claims of credentials that are due, at most `limit`. */
    eraseDueCredentials: (now: Date, limit: number) => eraseDue('credentials', 'credential', now, limit),

    /** Erases the claims of offerings that are due, at most `limit`. */
    eraseDueOfferings: (now: Date, limit: number) => eraseDue('offerings', 'offering', now, limit),

    /**
     * Removes records that are due, at most `limit`: credential, instances and redemption, and an offering with one redemption
     * together with its session.
     */
    async removeDueRecords(now: Date, limit: number): Promise<BatchDone> {
      const due = new Step<'key'>(
        'due',
        lockedBatch({
          table: 'credentials',
          key: 'id',
          due: fragment`record_due_at <= ${now}`,
          by: 'record_due_at',
          limit,
        }),
      )
      const instances = new Step(
        'instances',
        fragment`DELETE FROM credential_instances i USING ${due} WHERE i.credential_id = ${due.column('key')}`,
      )
      const redemptions = new Step<'offering_id'>(
        'redeemed',
        fragment`
          DELETE FROM redemptions r USING ${due} WHERE r.credential_id = ${due.column('key')} RETURNING r.offering_id`,
      )
      const removed = new Step<'id' | 'at'>(
        'removed',
        fragment`
          DELETE FROM credentials c USING ${due} WHERE c.id = ${due.column('key')} RETURNING c.id, c.record_due_at AS at`,
      )
      const offers = new Step<'id'>(
        'offers',
        fragment`
          DELETE FROM offerings o USING ${redemptions}
          WHERE o.id = ${redemptions.column('offering_id')} AND o.redemption_limit = 1 RETURNING o.id`,
      )
      const sessions = new Step(
        'sessions',
        fragment`DELETE FROM credential_offer_sessions x USING ${offers} WHERE x.id = ${offers.column('id')}`,
      )
      const events = new Step(
        'events',
        fragment`DELETE FROM session_events_default WHERE session_id IN (SELECT id FROM ${offers})`,
      )
      const recorded = audited({ of: removed, actor: null, action: 'credential.removed', subject: 'credential' })
      const also = [instances, sessions, events, recorded]
      return batchDone(await sql(batchRow, also)`SELECT at FROM ${removed}`, limit)
    },

    /** Numbers of rows whose erasure or removal is overdue, at most {@link MOST_OVERDUE} of each kind. */
    async overdue(now: Date): Promise<z.infer<typeof zOverdue>> {
      const [row] = await sql(zOverdue)`
        SELECT ${overdue('credentials', 'claims_due_at', now)} AS credentials,
          ${overdue('offerings', 'claims_due_at', now)} AS offerings,
          ${overdue('credentials', 'record_due_at', now)} AS records`
      return row ?? { credentials: 0, offerings: 0, records: 0 }
    },
  }
}
