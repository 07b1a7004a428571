import type { Deps } from '../../deps.js'
import type { MaintenanceTask } from '../../maintenance/job.js'
import { askAgain } from './ask.js'

/** Issuers asked in one turn, all at once: a turn must not hold up other tasks for longer than one of them takes. */
const MAX_AT_ONCE = 10
/** For how long a row is this process's own: longer than a round can take, and soon enough after a crash. */
const HOLD_MS = 120_000

/** Asks issuers for what they deferred, and forgets what can no longer come. */
export function pendingTasks(deps: Deps): readonly MaintenanceTask[] {
  const { pendingIssuances } = deps.stores
  return [
    {
      name: 'ask for deferred credentials',
      everyMs: 5_000,
      run: async (now, batchSize) => {
        const limit = Math.min(batchSize, MAX_AT_ONCE)
        const due = await pendingIssuances.hold(now, new Date(now.getTime() + HOLD_MS), limit)
        const results = await Promise.allSettled(due.map((row) => askAgain(deps, row)))
        for (const result of results) {
          if (result.status === 'rejected')
            deps.log.error({ err: result.reason }, 'deferred credentials were not asked for')
        }
        return due.length
      },
    },
    {
      name: 'remove expired deferred credentials',
      everyMs: 60_000,
      run: (now, batchSize) => pendingIssuances.removeExpired(now, batchSize),
    },
  ]
}
