import { z } from 'zod'
import { audited } from '../../../database/audited.js'
import { type BatchDone, batchDone, batchRow, lockedBatch } from '../../../database/batch.js'
import type { Database } from '../../../database/connect.js'
import { fragment, Step } from '../../../database/fragment.js'
import { type TimedPart, timedPart } from '../../../database/list-position.js'
import { madeBy } from '../../../database/made-by.js'
import { idRow, storedClaims } from '../../../database/row-shapes.js'
import { type Announce, eventRow } from '../../../events/store.js'
import { type ClaimsVault, forgottenKeys } from '../../../keys/claims/vault.js'
import { protectedSealed, revealedSealed } from '../../openid4vci/sessions/confidential.js'
import { CANCELLED, CREDENTIAL_OFFER_STATES } from '../../openid4vci/sessions/session.js'
import { movedColumns, movedStep, sessionEvent } from '../../openid4vci/sessions/store.js'
import { againColumns, againJoins, type OfferAgain, offerAgainOf, takeable, zOfferAgain } from '../again/store.js'

const zBatch = z.strictObject({
  id: z.string(),
  name: z.string().nullable(),
  createdBy: z.string(),
  createdAt: z.date(),
  size: z.int(),
  cancelledAt: z.date().nullable(),
})

/** A batch of offers. */
export type StoredBatch = z.infer<typeof zBatch>

const zFoundBatch = zBatch.extend({ confidential: storedClaims, confidentialKey: z.string().nullable() })

/** A batch with its sealed reason, if it was cancelled with a reason. */
export interface FoundBatch extends StoredBatch {
  readonly sealed: string | undefined
}

const zCount = z.strictObject({
  state: z.enum(CREDENTIAL_OFFER_STATES),
  cancelled: z.boolean(),
  count: z.int(),
})

/** The number of offers in a state. `cancelled`: offers that a person cancelled. */
export type StateCount = z.infer<typeof zCount>

const zOfferOfBatch = zOfferAgain.extend({ row: z.int() })

/** An offer of a batch. */
export interface OfferOfBatch {
  /** The position of the offer in the batch, from 1. */
  readonly row: number
  readonly offer: OfferAgain
}

/** A cancelled batch. */
export interface BatchCancellation {
  readonly id: string
  /** The sealed reason; undefined without a reason. */
  readonly sealed: string | undefined
  readonly actor: string | null
  readonly now: Date
}

const batchColumns = fragment`
  b.id, b.name, b.created_by AS "createdBy", b.created_at AS "createdAt", b.size, b.cancelled_at AS "cancelledAt"`

export type OfferBatchesStore = ReturnType<typeof createOfferBatchesStore>

/** Batches of offers after they were made. */
export function createOfferBatchesStore({ sql, bounded }: Database, claims: ClaimsVault, announce: Announce) {
  /** Cancels at most `limit` open offers of a batch that was cancelled. @returns their number */
  const cancelSome = async (id: string, now: Date, limit: number): Promise<number> => {
    const batch = new Step<'at' | 'actor'>(
      'batch',
      fragment`SELECT cancelled_at AS at, cancelled_by AS actor FROM offer_batches WHERE id = ${id} AND cancelled_at IS NOT NULL`,
    )
    // The order of the locks is the same in all processes.
    const open = new Step<'key'>(
      'open',
      fragment`
        SELECT id AS key FROM credential_offer_sessions
        WHERE id IN (SELECT o.id FROM offerings o WHERE o.batch_id = ${id}) AND ${takeable(now)}
        ORDER BY id LIMIT ${limit} FOR UPDATE`,
    )
    const cancelled = movedStep(fragment`
      UPDATE credential_offer_sessions x SET state = 'Error', seq = x.seq + 1, error_message = ${CANCELLED},
        ended_at = ${batch.column('at')}, confidential = NULL
      FROM ${batch}, ${open} WHERE x.id = ${open.column('key')} RETURNING ${movedColumns}`)
    const actor = fragment`(SELECT actor FROM ${batch})`
    const recorded = audited({ of: cancelled, actor, action: 'offering.cancelled', subject: 'offering' })
    const also = [forgottenKeys('credential_offer_sessions.confidential', cancelled), recorded]
    const rows = await sql(eventRow, also)`SELECT id, seq, data FROM ${sessionEvent(cancelled, now)}`
    announce(rows)
    return rows.length
  }

  return {
    cancelSome,

    /** Reads one page of batches, the newest first. @param creator undefined for the batches of all callers */
    page: (creator: string | null | undefined, part: TimedPart): Promise<StoredBatch[]> =>
      bounded(zBatch)`
        SELECT ${batchColumns} FROM offer_batches b
        WHERE true AND ${madeBy(fragment`b.created_by`, creator)}
          ${timedPart(fragment`b.created_at`, fragment`b.id`, part)}`,

    /** A batch. @param creator the only creator whose batches may be read; undefined for the batches of all */
    async find(id: string, creator: string | null | undefined): Promise<FoundBatch | undefined> {
      const [row] = await sql(zFoundBatch)`
        SELECT ${batchColumns}, b.confidential, ${claims.keyOf('offer_batches.confidential', fragment`b.id`)} AS "confidentialKey"
        FROM offer_batches b WHERE b.id = ${id} AND ${madeBy(fragment`b.created_by`, creator)}`
      if (row === undefined) return undefined
      const { confidential, confidentialKey, ...batch } = row
      return {
        ...batch,
        sealed: revealedSealed(claims, id, confidential, confidentialKey, 'offer_batches.confidential'),
      }
    },

    /** The numbers of a batch's offers by state. A batch has at most 10,000 offers. */
    counts: (id: string): Promise<StateCount[]> =>
      bounded(zCount)`
        SELECT x.state, COALESCE(x.error_message = ${CANCELLED}, false) AS cancelled, count(*)::int AS count
        FROM offerings o JOIN credential_offer_sessions x ON x.id = o.id WHERE o.batch_id = ${id} GROUP BY 1, 2`,

    /** The next offers of a batch after a position, at most `take`, in the order of their rows. */
    async offers(id: string, after: number, take: number): Promise<OfferOfBatch[]> {
      const rows = await bounded(zOfferOfBatch)`
        SELECT ${againColumns(claims)}, w.batch_row AS "row"
        FROM (
          SELECT id, batch_row FROM offerings WHERE batch_id = ${id} AND batch_row > ${after}::int ORDER BY batch_row LIMIT ${take}) w
        ${againJoins(fragment`w.id`)} ORDER BY w.batch_row`
      return rows.flatMap(({ row, ...columns }) => {
        const offer = offerAgainOf(claims, columns)
        return offer === undefined ? [] : [{ row, offer }]
      })
    },

    /** Records that a person downloads the result file of a batch. */
    async downloaded(id: string, actor: string | null): Promise<void> {
      const batch = new Step<'id'>('batch', fragment`SELECT id FROM offer_batches WHERE id = ${id}`)
      await sql(idRow, [audited({ of: batch, actor, action: 'offer-batch.downloaded', subject: 'offer-batch' })])`
        SELECT id FROM ${batch}`
    },

    /**
     * Marks a batch as cancelled. The batch then gets no further offers, and {@link cancelSome} cancels its open offers.
     *
     * @returns false if the batch was cancelled before
     */
    async cancel({ id, sealed, actor, now }: BatchCancellation): Promise<boolean> {
      const told = protectedSealed(claims, id, sealed, 'offer_batches.confidential')
      const cancelled = new Step<'id'>(
        'cancelled',
        fragment`
          UPDATE offer_batches SET cancelled_at = ${now}, cancelled_by = ${actor}, confidential = ${told?.json ?? null}::json
          WHERE id = ${id} AND cancelled_at IS NULL RETURNING id`,
      )
      const also = [
        ...(told === undefined ? [] : claims.storeKeys([told], cancelled)),
        audited({ of: cancelled, actor, action: 'offer-batch.cancelled', subject: 'offer-batch' }),
      ]
      const rows = await sql(idRow, also)`SELECT id FROM ${cancelled}`
      return rows.length > 0
    },

    /** Notes that a cancelled batch has no open offer. @returns whether it has none */
    async endCancellation(id: string, now: Date): Promise<boolean> {
      const rows = await sql(idRow)`
        UPDATE offer_batches b SET cancel_done_at = COALESCE(b.cancel_done_at, ${now})
        WHERE b.id = ${id} AND b.cancelled_at IS NOT NULL AND NOT EXISTS (
          SELECT 1 FROM credential_offer_sessions
          WHERE id IN (SELECT o.id FROM offerings o WHERE o.batch_id = b.id) AND ${takeable(now)})
        RETURNING b.id`
      return rows.length > 0
    },

    /**
     * Erases the reasons of at most `limit` cancelled batches of which no offer has its session and its claims any more. The reason of a
     * single offer ends at the same time.
     */
    async forgetReasons(before: Date, limit: number): Promise<BatchDone> {
      const due = fragment`
        confidential IS NOT NULL AND cancelled_at <= ${before} AND cancel_done_at IS NOT NULL AND NOT EXISTS (
          SELECT 1 FROM offerings o JOIN credential_offer_sessions x ON x.id = o.id
          WHERE o.batch_id = offer_batches.id AND o.claims_erased_at IS NULL)`
      const batch = new Step<'key'>(
        'due',
        lockedBatch({ table: 'offer_batches', key: 'id', due, by: 'cancelled_at', limit }),
      )
      const forgotten = new Step<'id' | 'at'>(
        'forgotten',
        fragment`
          UPDATE offer_batches b SET confidential = NULL FROM ${batch} WHERE b.id = ${batch.column('key')}
          RETURNING b.id, b.cancelled_at AS at`,
      )
      const rows = await sql(batchRow, [
        forgottenKeys('offer_batches.confidential', forgotten),
      ])`SELECT at FROM ${forgotten}`
      return batchDone(rows, limit)
    },

    /** The oldest batch whose cancellation is not complete; undefined if there is none. */
    async cancelling(): Promise<{ readonly id: string; readonly cancelledAt: Date } | undefined> {
      const [row] = await sql(z.strictObject({ id: z.string(), cancelledAt: z.date() }))`
        SELECT id, cancelled_at AS "cancelledAt" FROM offer_batches
        WHERE cancelled_at IS NOT NULL AND cancel_done_at IS NULL ORDER BY cancelled_at LIMIT 1`
      return row
    },
  }
}
