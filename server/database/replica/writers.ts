import { createHash } from 'node:crypto'
import { z } from 'zod'
import { batchDone, deletedBatch, deletedRow, expiredBatch } from '../batch.js'
import type { Database } from '../connect.js'
import { noRow } from '../row-shapes.js'

/** Seconds in which a caller who made a change gets lists from the primary. */
export const WRITER_SECONDS = 10

/** If a change takes longer than this time, in milliseconds, its caller is recorded again at the end of the change. */
const CHANGE_MS = 1_000

/** Additional validity of a record. So the changes that a caller makes within two seconds need only one record. */
const SPARE_SECONDS = 2

const zWriter = z.strictObject({ caller: z.string() })

/** The callers who made a change recently. All processes share this information. */
export type RecentWriters = ReturnType<typeof createRecentWriters>

/** Returns the hash of a caller's id, since an id may have any length. */
const hashOf = (caller: string): string => createHash('sha256').update(caller).digest('base64url')

/**
 * The callers are recorded in a table of the primary, by the primary's clock. The table survives a crash, as the
 * changes do. Each caller has one row. Further changes within two seconds do not modify this row, so these changes do
 * not wait for each other.
 */
export function createRecentWriters({ sql }: Pick<Database, 'sql'>) {
  const note = async (callers: readonly string[]): Promise<void> => {
    await sql(noRow)`
      INSERT INTO recent_writers (caller, expires_at)
      SELECT caller, clock_timestamp() + make_interval(secs => ${WRITER_SECONDS + CHANGE_MS / 1_000 + SPARE_SECONDS})
      FROM unnest(${callers.map(hashOf)}::text[]) AS c(caller)
      WHERE NOT EXISTS (
        SELECT FROM recent_writers w WHERE w.caller = c.caller
          AND w.expires_at > clock_timestamp() + make_interval(secs => ${WRITER_SECONDS + CHANGE_MS / 1_000}))
      ON CONFLICT (caller) DO UPDATE SET expires_at = greatest(recent_writers.expires_at, EXCLUDED.expires_at)`
  }
  return {
    /**
     * Records the callers, and then makes a change. So a caller who loses the connection during the change still gets a
     * list with the change. If the change takes long, the callers are recorded again after the change.
     *
     * @throws if a caller cannot be recorded; then the change is not made.
     */
    async changing<T>(callers: readonly string[], change: () => Promise<T>): Promise<T> {
      await note(callers)
      const began = performance.now()
      try {
        return await change()
      } finally {
        // The change is complete, so the answer must not be an error. The earlier record may still be valid.
        if (performance.now() - began > CHANGE_MS) await note(callers).catch(() => undefined)
      }
    },

    /** Returns the callers of the list who changed something within WRITER_SECONDS. */
    async among(callers: readonly string[]): Promise<ReadonlyMap<string, true>> {
      const byHash = new Map(callers.map((caller) => [hashOf(caller), caller]))
      const rows = await sql(zWriter)`
        SELECT caller FROM recent_writers
        WHERE caller = ANY(${[...byHash.keys()]}::text[]) AND expires_at > clock_timestamp()`
      return new Map(rows.map(({ caller }) => [byHash.get(caller) ?? '', true]))
    },

    /** Removes records that expired before a certain time. */
    async deleteExpired(before: Date, limit: number) {
      const batch = expiredBatch('recent_writers', 'caller', before, limit)
      return batchDone(await sql(deletedRow)`${deletedBatch(batch)}`, limit)
    },
  }
}
