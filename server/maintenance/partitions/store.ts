import { z } from 'zod'
import type { Database } from '../../database/connect.js'
import { sqlStateOf } from '../../database/errors.js'

/** Tables that are partitioned by time, by the names of the schema. */
export type PartitionedTable = 'used_nonces' | 'issuance_tokens' | 'session_events' | 'audit_events'

/** A partition, which has the rows of a time. */
export interface Partition {
  readonly name: string
  /** Undefined for one that has whatever was before `until`. */
  readonly since: Date | undefined
  /** The first moment that is not in it. */
  readonly until: Date
}

/**
 * `locked`: somebody used the table for longer than is waited, so it is to be tried again; `occupied`: the default partition
 * has rows of its time already, which stay there; `known`: another process had done it.
 */
export type PartitionChange = 'made' | 'dropped' | 'locked' | 'occupied' | 'known'

const zPartition = z.strictObject({ name: z.string(), since: z.date().nullable(), until: z.date() })
/** A function without a result. */
const zVoid = z.strictObject({ void: z.literal('') })

/** By SQLSTATE. */
const OUTCOMES: Readonly<Record<string, PartitionChange>> = {
  // lock_not_available
  '55P03': 'locked',
  // check_violation
  '23514': 'occupied',
  // undefined_table; duplicate_table, duplicate_object and, of the catalogue, unique_violation: two made it at once
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

/** Partitions by time. The database's functions `make_partition` and `drop_partition` say what they lock, and how long they wait. */
export function createPartitionStore({ sql }: Database) {
  return {
    /** Those of a table in the order of their times, but for the default partition. */
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
