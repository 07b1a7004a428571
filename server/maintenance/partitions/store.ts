import { z } from 'zod'
import type { Database } from '../../database/connect.js'
import { sqlStateOf } from '../../database/errors.js'

/** Names of the tables that are partitioned by time. */
export type PartitionedTable =
  | 'used_nonces'
  | 'issuance_tokens'
  | 'session_events'
  | 'audit_events'
  | 'webhook_deliveries'

/** A partition, which contains the rows of a period. */
export interface Partition {
  readonly name: string
  /** Undefined for a partition with all rows before `until`. */
  readonly since: Date | undefined
  /** The end of the period (exclusive). */
  readonly until: Date
}

/**
 * The outcome of making or dropping a partition.
 *
 * - `locked`: the table was in use for longer than the lock timeout; try again later.
 * - `occupied`: the default partition already has rows of this period. The rows stay there, and no partition is made.
 * - `known`: a different process has already made or dropped the partition.
 */
export type PartitionChange = 'made' | 'dropped' | 'locked' | 'occupied' | 'known'

const zPartition = z.strictObject({ name: z.string(), since: z.date().nullable(), until: z.date() })
/** The result of a database function that returns nothing. */
const zVoid = z.strictObject({ void: z.literal('') })

/** The outcome for each SQLSTATE. */
const OUTCOMES: Readonly<Record<string, PartitionChange>> = {
  // lock_not_available
  '55P03': 'locked',
  // check_violation
  '23514': 'occupied',
  // undefined_table, duplicate_table, duplicate_object, and unique_violation in the catalogue: two processes worked at
  // the same time
  '42P01': 'known',
  '42P07': 'known',
  '42710': 'known',
  '23505': 'known',
}

async function attempted(done: PartitionChange, statement: Promise<unknown>): Promise<PartitionChange> {
  try {
    await statement
    return done
  } catch (error) {
    const outcome = OUTCOMES[sqlStateOf(error) ?? '']
    if (outcome === undefined) throw error
    return outcome
  }
}

export type PartitionStore = ReturnType<typeof createPartitionStore>

/**
 * Reads, makes and drops partitions by time. The locks and timeouts are defined in the database functions
 * `make_partition` and `drop_partition`.
 */
export function createPartitionStore({ sql }: Database) {
  return {
    /** The partitions of a table in the order of their times, without the default partition. */
    async list(table: PartitionedTable): Promise<Partition[]> {
      const rows = await sql(zPartition)`
        SELECT name, substring(bounds FROM 'FROM [(]''([^'']+)''[)]')::timestamptz AS since,
          substring(bounds FROM 'TO [(]''([^'']+)''[)]')::timestamptz AS until
        FROM (
          SELECT c.relname AS name, pg_get_expr(c.relpartbound, c.oid) AS bounds
          FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = ${table}::regclass) AS partitions
        WHERE bounds <> 'DEFAULT' ORDER BY until`
      return rows.map(({ since, ...partition }) => ({ ...partition, since: since ?? undefined }))
    },

    make: (table: PartitionedTable, since: Date, until: Date): Promise<PartitionChange> =>
      attempted('made', sql(zVoid)`SELECT make_partition(${table}::regclass, ${since}, ${until})::text AS void`),

    drop: ({ name }: Partition): Promise<PartitionChange> =>
      attempted('dropped', sql(zVoid)`SELECT drop_partition(quote_ident(${name})::regclass)::text AS void`),
  }
}
