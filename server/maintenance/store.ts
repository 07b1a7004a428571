import { z } from 'zod'
import type { Database } from '../database/connect.js'
import { rowsOf } from '../database/row-check.js'
import { Prisma } from '../generated/prisma/client.js'

/** Key of the advisory lock: maintenance runs in one process at a time. */
const MAINTENANCE_LOCK = 4_203_118_802
/**
 * Maximum time for which the lock is held. If the work takes longer, a second process may run the same task at the same
 * time, which is safe.
 */
const LOCK_TIMEOUT_MS = 60_000

const zLock = z.strictObject({ held: z.boolean() })

export type MaintenanceStore = ReturnType<typeof createMaintenanceStore>

export function createMaintenanceStore({ prisma }: Database) {
  return {
    /**
     * Runs `work`, unless a different process has the lock. The lock is released at the end of the transaction.
     * @returns true if `work` ran.
     */
    async exclusively(work: () => Promise<void>): Promise<boolean> {
      return prisma.$transaction(
        async (tx) => {
          const statement = Prisma.sql`SELECT pg_try_advisory_xact_lock(${MAINTENANCE_LOCK}) AS held`
          const [row] = rowsOf(zLock, await tx.$queryRaw<unknown[]>(statement), statement.sql)
          if (row?.held !== true) return false
          await work()
          return true
        },
        { timeout: LOCK_TIMEOUT_MS, maxWait: 5_000 },
      )
    },
  }
}
