import { z } from 'zod'
import { type BatchDone, batchDone, deletedBatch, deletedRow, expiredBatch } from '../database/batch.js'
import type { Database } from '../database/connect.js'
import { fragment, Step } from '../database/fragment.js'
import { idRow, noRow } from '../database/row-shapes.js'
import type { Hashes } from './hashes.js'

/** A request that wants to work for a key. */
export interface NewClaim extends Hashes {
  readonly claim: string
  readonly now: Date
  readonly leasedUntil: Date
  readonly expiresAt: Date
}

const zKnown = z.strictObject({
  isMine: z.boolean(),
  request: z.string(),
  isAnswered: z.boolean(),
  answer: z.string().nullable(),
})

/** The stored state of a key. */
export type KnownKey = z.infer<typeof zKnown>

const zCount = z.strictObject({ count: z.int() })

export type IdempotencyStore = ReturnType<typeof createIdempotencyStore>

/** Statements over the keys of requests. `complete` belongs to the unit of work of the request. */
export function createIdempotencyStore({ sql }: Pick<Database, 'sql'>) {
  return {
    /**
     * Claims a key that is new or expired, or whose request was lost: its lease has ended without an answer.
     *
     * @returns undefined if another process claims the key at this moment
     */
    async claim({ id, caller, request, claim, now, leasedUntil, expiresAt }: NewClaim): Promise<KnownKey | undefined> {
      const claimed = new Step<'request'>(
        'claimed',
        fragment`
          INSERT INTO idempotency_keys AS k (id, caller, request, claim, leased_until, expires_at)
          VALUES (${id}, ${caller}, ${request}, ${claim}, ${leasedUntil}, ${expiresAt})
          ON CONFLICT (id) DO UPDATE SET request = EXCLUDED.request, claim = EXCLUDED.claim, leased_until = EXCLUDED.leased_until,
            expires_at = EXCLUDED.expires_at, answered_at = NULL, answer = NULL
          WHERE k.expires_at <= ${now} OR (k.answered_at IS NULL AND k.leased_until <= ${now} AND k.request = EXCLUDED.request)
          RETURNING request`,
      )
      const [row] = await sql(zKnown)`
        SELECT true AS "isMine", request, false AS "isAnswered", NULL AS answer FROM ${claimed}
        UNION ALL
        SELECT false, request, answered_at IS NOT NULL, answer FROM idempotency_keys
        WHERE id = ${id} AND NOT EXISTS (SELECT FROM ${claimed})`
      return row
    },

    /** A key that is not expired. @returns undefined if a request may claim the key */
    async find(id: string, now: Date): Promise<KnownKey | undefined> {
      const [row] = await sql(zKnown)`
        SELECT false AS "isMine", request, answered_at IS NOT NULL AS "isAnswered", answer FROM idempotency_keys
        WHERE id = ${id} AND expires_at > ${now} AND (answered_at IS NOT NULL OR leased_until > ${now})`
      return row
    },

    /**
     * Stores the answer, in the transaction of the effect.
     *
     * @param answer null if it is too long
     * @returns false if another request works for the key. The effect must then be undone.
     */
    async complete({ id, claim }: Pick<NewClaim, 'id' | 'claim'>, answer: string | null, now: Date): Promise<boolean> {
      const rows = await sql(idRow)`
        UPDATE idempotency_keys SET answered_at = ${now}, answer = ${answer}::text WHERE id = ${id} AND claim = ${claim} RETURNING id`
      return rows.length > 0
    },

    /** Gives a key up after a request without an effect. The next request may claim the key. */
    async release({ id, claim }: Pick<NewClaim, 'id' | 'claim'>): Promise<void> {
      await sql(noRow)`
        DELETE FROM idempotency_keys WHERE id = ${id} AND claim = ${claim} AND answered_at IS NULL`
    },

    /** The number of keys of a caller that are not expired, counted up to `most`. */
    async count(caller: string, now: Date, most: number): Promise<number> {
      const [row] = await sql(zCount)`
        SELECT count(*)::int AS count FROM (
          SELECT FROM idempotency_keys WHERE caller = ${caller} AND expires_at > ${now} LIMIT ${most}) k`
      return row?.count ?? 0
    },

    /** Deletes expired keys, at most `limit`. */
    async removeExpired(now: Date, limit: number): Promise<BatchDone> {
      return batchDone(
        await sql(deletedRow)`${deletedBatch(expiredBatch('idempotency_keys', 'id', now, limit))}`,
        limit,
      )
    },
  }
}
