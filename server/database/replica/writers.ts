import { createHash } from 'node:crypto'
import { z } from 'zod'
import { batchDone, deletedBatch, deletedRow, expiredBatch } from '../batch.js'
import type { Database } from '../connect.js'
import { noRow } from '../row-shapes.js'

/** Seconds for which a caller who made a change reads lists from the primary. */
export const WRITER_SECONDS = 10

/** If a change takes longer than this time, in milliseconds, its caller is noted again at the end. */
const CHANGE_MS = 1_000

/** Additional validity of a note, so that changes of one caller share a note for two seconds. */
const SPARE_SECONDS = 2

const zWriter = z.strictObject({ caller: z.string() })

/** The callers with recent changes, the same in every process. */
export type RecentWriters = ReturnType<typeof createRecentWriters>

/** A hash, since callers have ids of any length. */
const hashOf = (caller: string): string => createHash('sha256').update(caller).digest('base64url')

/**
 * The notes are in a table of the primary and use the primary's clock. The table survives a crash, as the changes do.
 * Each caller has one row. Changes in the next two seconds do not modify this row, so these changes do not wait for
 * each other.
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
     * Notes the callers, then makes a change: a caller who loses the connection during the change still finds its
     * result. If the change takes long, the callers are noted again after the change.
     *
     * @throws if a caller cannot be noted; then the change is not made.
     */
    async changing<T>(callers: readonly string[], change: () => Promise<T>): Promise<T> {
      await note(callers)
      const began = performance.now()
      try {
        return await change()
      } finally {
        // A completed change must not be answered with an error; the earlier note may still be valid.
        if (performance.now() - began > CHANGE_MS) await note(callers).catch(() => undefined)
      }
    },

    /** The given callers who changed something within WRITER_SECONDS. */
    async among(callers: readonly string[]): Promise<ReadonlyMap<string, true>> {
      const byHash = new Map(callers.map((caller) => [hashOf(caller), caller]))
      const rows = await sql(zWriter)`
        SELECT caller FROM recent_writers
        WHERE caller = ANY(${[...byHash.keys()]}::text[]) AND expires_at > clock_timestamp()`
      return new Map(rows.map(({ caller }) => [byHash.get(caller) ?? '', true]))
    },

    /** Removes notes that expired before a moment. */
    async deleteExpired(before: Date, limit: number) {
      const batch = expiredBatch('recent_writers', 'caller', before, limit)
      return batchDone(await sql(deletedRow)`${deletedBatch(batch)}`, limit)
    },
  }
}
