import { z } from 'zod'
import { audited } from '../../database/audited.js'
import { type BatchDone, batchDone, batchRow, lockedBatch } from '../../database/batch.js'
import type { Database } from '../../database/connect.js'
import { type Fragment, fragment, identifier, Step } from '../../database/fragment.js'

/** The person who erases claims. */
export interface Eraser {
  /** The `sub` of the person; null for a client secret. */
  readonly actor: string | null
  /** Only records of this `sub` are erased; undefined for an operator, who may erase all. */
  readonly ownedBy: string | undefined
}

const zErased = z.strictObject({ at: z.date() })
const zOverdue = z.strictObject({ credentials: z.int(), offerings: z.int(), records: z.int() })

/** The highest number of overdue rows that are counted in one table. */
export const MOST_OVERDUE = 10_000

/** The column with the claims of each table. */
const CLAIMS = { credentials: 'vc', offerings: 'credential_subject' } as const

const owned = (ownedBy: string | undefined, column: Fragment): Fragment =>
  ownedBy === undefined ? fragment`true` : fragment`${column} = ${ownedBy}`

/** A query for rows that are due at a moment, in an expression that counts at most {@link MOST_OVERDUE}. */
const overdue = (table: string, column: string, now: Date): Fragment => fragment`
  (SELECT count(*)::int FROM (
    SELECT 1 FROM ${identifier(table)} WHERE ${identifier(column)} <= ${now} LIMIT ${MOST_OVERDUE}) due)`

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
    const due = new Step<'key'>(
      'due',
      lockedBatch({ table, key: 'id', due: fragment`claims_due_at <= ${now}`, by: 'claims_due_at', limit }),
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
    async eraseCredential(id: string, { actor, ownedBy }: Eraser, now: Date): Promise<Date | undefined> {
      const [row] = await sql(zErased)`
        SELECT erase_claims(c.id, NULL, ${now}, ${actor}) AS at FROM credentials c
        WHERE c.id = ${id} AND ${owned(ownedBy, fragment`c.owner`)}`
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
    async eraseCredentialOffer(id: string, { actor, ownedBy }: Eraser, now: Date): Promise<Date | undefined> {
      const [row] = await sql(zErased)`
        SELECT erase_claims(NULL, o.id, ${now}, ${actor}) AS at
        FROM offerings o LEFT JOIN credential_offer_sessions x ON x.id = o.id
        WHERE o.id = ${id} AND (o.is_session OR o.of_authorization) AND ${owned(ownedBy, fragment`x.created_by`)}`
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
