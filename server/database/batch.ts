import { z } from 'zod'
import { type Fragment, fragment, identifier } from './fragment.js'

/** Rows of one table that something is to be done with, a bounded number at a time. Names are those of the schema. */
export interface Batch {
  readonly table: string
  /** The column that tells rows apart. */
  readonly key: string
  /** Which rows: a condition. */
  readonly due: Fragment
  /** The column that says which come first: the lowest. An index has them in this order, or each batch looks at all rows. */
  readonly by: string
  readonly limit: number
}

/** What became of a batch. */
export interface BatchDone {
  readonly count: number
  /** What the first row had in the column `by`; undefined where there was none. */
  readonly first: Date | undefined
  /** Whether there may be more: it was a full one. */
  readonly more: boolean
}

/** A row that was in a batch, by what its column `by` had. */
export const batchRow = z.strictObject({ at: z.date() })

/** Of a statement that is nothing but `deletedBatch`. */
export const deletedRow = z.strictObject({ key: z.string(), at: z.date() })

export function batchDone(rows: readonly z.infer<typeof batchRow>[], limit: number): BatchDone {
  const first = rows.reduce<Date | undefined>(
    (least, { at }) => (least === undefined || at < least ? at : least),
    undefined,
  )
  return { count: rows.length, first, more: rows.length >= limit }
}

/** A batch of rows that expired before a moment. */
export const expiredBatch = (table: string, key: string, before: Date, limit: number): Batch => ({
  table,
  key,
  due: fragment`expires_at <= ${before}`,
  by: 'expires_at',
  limit,
})

/**
 * A query for the keys of a batch, as `key`, whose rows it locks. Rows that another process has locked are skipped, so
 * that two processes neither wait for each other nor work on the same row.
 */
export const lockedBatch = ({ table, key, due, by, limit }: Batch): Fragment => fragment`
  SELECT ${identifier(key)} AS key FROM ${identifier(table)} WHERE ${due} ORDER BY ${identifier(by)} LIMIT ${limit} FOR UPDATE SKIP LOCKED`

/** Deletes a batch; returns what it deleted, as `key`, and what stood in the column `by`, as `at`. */
export const deletedBatch = (batch: Batch): Fragment => fragment`
  DELETE FROM ${identifier(batch.table)} WHERE ${identifier(batch.key)} IN (${lockedBatch(batch)})
  RETURNING ${identifier(batch.key)} AS key, ${identifier(batch.by)} AS at`
