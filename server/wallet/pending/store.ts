import { z } from 'zod'
import { recordAudit } from '../../audit/audit.js'
import { audited } from '../../database/audited.js'
import { type BatchDone, batchDone, batchRow, deletedBatch, expiredBatch, lockedBatch } from '../../database/batch.js'
import type { Database } from '../../database/connect.js'
import { fragment, Step } from '../../database/fragment.js'
import { idRow } from '../../database/row-shapes.js'

const zStoredPending = z.strictObject({
  id: z.string(),
  holderId: z.string(),
  createdBy: z.string(),
  content: z.string(),
  createdAt: z.date(),
  expiresAt: z.date(),
})

/** A deferred issuance. The vault has encrypted `content`. */
export type StoredPending = z.infer<typeof zStoredPending>

const zHeldPending = zStoredPending.extend({ heldUntil: z.date() })

/** A row that only this process may ask for, until `heldUntil`. */
export type HeldPending = z.infer<typeof zHeldPending>

export interface NewPending extends StoredPending {
  readonly keyIds: readonly string[]
  readonly askAt: Date
}

/** The name of a pending issuance in audit events. */
const subject = 'wallet_pending_issuance'

export type PendingIssuanceStore = ReturnType<typeof createPendingIssuanceStore>

export function createPendingIssuanceStore({ prisma, sql }: Database) {
  return {
    /**
     * Stores a deferred issuance. A holder may wait for at most `atMost` issuances.
     *
     * @returns whether the issuance was stored
     */
    async insert(pending: NewPending, atMost: number): Promise<boolean> {
      const { id, holderId, createdBy, content, keyIds, askAt, createdAt, expiresAt } = pending
      const added = new Step<'id'>(
        'added',
        fragment`
          INSERT INTO wallet_pending_issuances
            (id, holder_id, created_by, content, key_ids, ask_at, created_at, expires_at)
          SELECT ${id}, ${holderId}, ${createdBy}, ${content}, ${keyIds}::text[], ${askAt}::timestamptz,
            ${createdAt}::timestamptz, ${expiresAt}::timestamptz
          WHERE (SELECT count(*) FROM wallet_pending_issuances WHERE holder_id = ${holderId}) < ${atMost}::int
          RETURNING id`,
      )
      const recorded = audited({ of: added, actor: createdBy, action: 'wallet.credential.deferred', subject })
      const rows = await sql(idRow, [recorded])`SELECT id FROM ${added}`
      return rows.length > 0
    },

    /**
     * Holds rows that are due, the oldest due date first, in one statement. No other process gets these rows until
     * `heldUntil`.
     */
    hold: (now: Date, heldUntil: Date, limit: number): Promise<HeldPending[]> =>
      sql(zHeldPending)`
        UPDATE wallet_pending_issuances SET ask_at = ${heldUntil}::timestamptz
        WHERE id IN (${lockedBatch({
          table: 'wallet_pending_issuances',
          key: 'id',
          due: fragment`ask_at <= ${now} AND expires_at > ${now}`,
          by: 'ask_at',
          limit,
        })})
        RETURNING id, holder_id AS "holderId", created_by AS "createdBy", content, created_at AS "createdAt",
          expires_at AS "expiresAt", ask_at AS "heldUntil"`,

    /** @returns whether the caller still held the row. */
    async update({ id, heldUntil }: HeldPending, content: string, askAt: Date): Promise<boolean> {
      const rows = await sql(idRow)`
        UPDATE wallet_pending_issuances SET content = ${content}, ask_at = ${askAt}::timestamptz
        WHERE id = ${id} AND ask_at = ${heldUntil}::timestamptz RETURNING id`
      return rows.length > 0
    },

    /** Records in the audit log that the issuer refused one of the credentials. */
    async recordRefusal(id: string): Promise<void> {
      await recordAudit(prisma, {
        actor: null,
        action: 'wallet.credential.refused',
        subject,
        subjectId: id,
      })
    },

    /** Deletes a finished row, unless another process holds it by now: that process has newer tokens. */
    async remove({ id, heldUntil }: HeldPending): Promise<void> {
      await sql(
        idRow,
      )`DELETE FROM wallet_pending_issuances WHERE id = ${id} AND ask_at = ${heldUntil}::timestamptz RETURNING id`
    },

    /** Deletes expired issuances, at most `limit`, with an audit row each. */
    async removeExpired(now: Date, limit: number): Promise<BatchDone> {
      const removed = new Step<'key' | 'at'>(
        'removed',
        deletedBatch(expiredBatch('wallet_pending_issuances', 'id', now, limit)),
      )
      const subjectId = removed.column('key')
      const refused = audited({ of: removed, actor: null, action: 'wallet.credential.refused', subject, subjectId })
      const rows = await sql(batchRow, [refused])`SELECT at FROM ${removed}`
      return batchDone(rows, limit)
    },
  }
}
