import { z } from 'zod'
import type { Database } from '../database/connect.js'
import { rowsOf } from '../database/row-check.js'
import { Prisma } from '../generated/prisma/client.js'

/** Key of the advisory lock: maintenance is one process' work at a time. */
const MAINTENANCE_LOCK = 4_203_118_802
/** A batch that takes longer gives the lock away; every task is safe beside another process that does the same. */
const LOCK_TIMEOUT_MS = 60_000

const zLock = z.strictObject({ held: z.boolean() })

export type MaintenanceStore = ReturnType<typeof createMaintenanceStore>

export function createMaintenanceStore({ prisma }: Database) {
  return {
    /** Does some work where no other process is at it, else nothing. The lock ends with its transaction, come what may. */
    async exclusively(work: () => Promise<void>): Promise<void> {
      await prisma.$transaction(
        async (tx) => {
          const statement = Prisma.sql`SELECT pg_try_advisory_xact_lock(${MAINTENANCE_LOCK}) AS held`
          const [row] = rowsOf(zLock, await tx.$queryRaw<unknown[]>(statement), statement.sql)
          if (row?.held === true) await work()
        },
        { timeout: LOCK_TIMEOUT_MS, maxWait: 5_000 },
      )
    },
  }
}
