import type { Database } from '../database/connect.js'

/** Key of the advisory lock: maintenance is one process' work at a time. */
const MAINTENANCE_LOCK = 4_203_118_802
/** A batch that takes longer gives the lock away; every task is safe beside another process that does the same. */
const LOCK_TIMEOUT_MS = 60_000

export type MaintenanceStore = ReturnType<typeof createMaintenanceStore>

export function createMaintenanceStore({ prisma }: Database) {
  return {
    /** Does some work where no other process is at it, else nothing. The lock ends with its transaction, come what may. */
    async exclusively(work: () => Promise<void>): Promise<void> {
      await prisma.$transaction(
        async (tx) => {
          const [row] = await tx.$queryRaw<{ held: boolean }[]>`
            SELECT pg_try_advisory_xact_lock(${MAINTENANCE_LOCK}) AS held`
          if (row?.held === true) await work()
        },
        { timeout: LOCK_TIMEOUT_MS, maxWait: 5_000 },
      )
    },
  }
}
