import { z } from 'zod'
import { type Fragment, fragment, identifier } from './fragment.js'

/**
 * A limited number of rows of one table that are processed together. Tables and columns are named as in the database.
 */
export interface Batch {
  readonly table: string
  /** The column that identifies a row. */
  readonly key: string
  /** Condition that selects the rows. */
  readonly due: Fragment
  /**
   * The column that decides the order, lowest first. The column needs an index in this order. Otherwise each batch
   * reads all rows.
   */
  readonly by: string
  readonly limit: number
}

/** Result of a batch. */
export interface BatchDone {
  readonly count: number
  /** Value of the column `by` in the first row; undefined if the batch was empty. */
  readonly first: Date | undefined
  /** Whether there may be more rows: the batch was full. */
  readonly more: boolean
}

/** Row shape for a row of a batch, with the value of the column `by`. */
export const batchRow = z.strictObject({ at: z.date() })

/** Row shape for a statement that consists of `deletedBatch`. */
export const deletedRow = z.strictObject({ key: z.string(), at: z.date() })

export function batchDone(rows: readonly z.infer<typeof batchRow>[], limit: number): BatchDone {
  const first = rows.reduce<Date | undefined>(
    (least, { at }) => (least === undefined || at < least ? at : least),
    undefined,
  )
  return { count: rows.length, first, more: rows.length >= limit }
}

/** Makes a batch of the rows that expired before a certain time. */
export const expiredBatch = (table: string, key: string, before: Date, limit: number): Batch => ({
  table,
  key,
  due: fragment`expires_at <= ${before}`,
  by: 'expires_at',
  limit,
})

/**
 * A query that locks the rows of a batch and returns their keys as `key`. Rows that another process has locked are
 * skipped, so that two processes neither wait for each other nor work on the same row.
 */
export const lockedBatch = ({ table, key, due, by, limit }: Batch): Fragment => fragment`
  SELECT ${identifier(key)} AS key FROM ${identifier(table)} WHERE ${due} ORDER BY ${identifier(by)} LIMIT ${limit} FOR UPDATE SKIP LOCKED`

/** Deletes a batch. Returns the keys of the deleted rows as `key`, and the values of the column `by` as `at`. */
export const deletedBatch = (batch: Batch): Fragment => fragment`
  DELETE FROM ${identifier(batch.table)} WHERE ${identifier(batch.key)} IN (${lockedBatch(batch)})
  RETURNING ${identifier(batch.key)} AS key, ${identifier(batch.by)} AS at`
