import { createHash } from 'node:crypto'
import { z } from 'zod'
import { batchDone, deletedBatch, deletedRow, expiredBatch } from '../batch.js'
import type { Database } from '../connect.js'
import { noRow } from '../row-shapes.js'

/** For how long who has changed something reads lists from the primary. */
export const WRITER_SECONDS = 10

/** How long a change may take before its caller is noted once more at its end. */
const CHANGE_MS = 1_000

/** A note is good for so much longer than must be, so that changes of one caller share one for two seconds. */
const SPARE_SECONDS = 2

const zWriter = z.strictObject({ caller: z.string() })

/** The callers that changed something lately, the same in every process. */
export type RecentWriters = ReturnType<typeof createRecentWriters>

/** Callers have ids of any length. */
const hashOf = (caller: string): string => createHash('sha256').update(caller).digest('base64url')

/**
 * Kept on the primary, by its clock, in a table that outlives a crash as the changes do. One row for each caller, which a change of the
 * next two seconds leaves as it is, so that changes do not wait for each other there.
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
     * Does a change for callers who are noted before: who is cut off in the middle and looks finds what was done. One that
     * takes long is noted at its end too.
     *
     * @throws where the caller cannot be noted; nothing is changed then.
     */
    async changing<T>(callers: readonly string[], change: () => Promise<T>): Promise<T> {
      await note(callers)
      const began = performance.now()
      try {
        return await change()
      } finally {
        // What was done must not be answered with an error; the note from before may still hold.
        if (performance.now() - began > CHANGE_MS) await note(callers).catch(() => undefined)
      }
    },

    /** Which of them changed something within WRITER_SECONDS. */
    async among(callers: readonly string[]): Promise<ReadonlyMap<string, true>> {
      const byHash = new Map(callers.map((caller) => [hashOf(caller), caller]))
      const rows = await sql(zWriter)`
        SELECT caller FROM recent_writers
        WHERE caller = ANY(${[...byHash.keys()]}::text[]) AND expires_at > clock_timestamp()`
      return new Map(rows.map(({ caller }) => [byHash.get(caller) ?? '', true]))
    },

    /** Removes notes that ended before a moment. */
    async deleteExpired(before: Date, limit: number) {
      const batch = expiredBatch('recent_writers', 'caller', before, limit)
      return batchDone(await sql(deletedRow)`${deletedBatch(batch)}`, limit)
    },
  }
}
