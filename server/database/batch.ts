import { Prisma } from '../generated/prisma/client.js'

/** Rows of one table that something is to be done with, a bounded number at a time. Names are those of the schema. */
export interface Batch {
  readonly table: string
  /** The column that tells rows apart. */
  readonly key: string
  /** Which rows: a condition. */
  readonly due: Prisma.Sql
  /** The column that says which come first: the lowest. */
  readonly by: string
  readonly limit: number
}

/** A batch of rows that expired before a moment. */
export const expiredBatch = (table: string, key: string, before: Date, limit: number): Batch => ({
  table,
  key,
  due: Prisma.sql`expires_at <= ${before}`,
  by: 'expires_at',
  limit,
})

const name = (identifier: string) => Prisma.raw(`"${identifier}"`)

/**
 * A query for the keys of a batch, as `key`, whose rows it locks. Rows that another process has locked are skipped, so
 * that two processes neither wait for each other nor work on the same row.
 */
export const lockedBatch = ({ table, key, due, by, limit }: Batch): Prisma.Sql => Prisma.sql`
  SELECT ${name(key)} AS key FROM ${name(table)} WHERE ${due} ORDER BY ${name(by)} LIMIT ${limit} FOR UPDATE SKIP LOCKED`

/** Deletes a batch; returns the keys of what it deleted, as `key`. */
export const deletedBatch = (batch: Batch): Prisma.Sql => Prisma.sql`
  DELETE FROM ${name(batch.table)} WHERE ${name(batch.key)} IN (${lockedBatch(batch)}) RETURNING ${name(batch.key)} AS key`
