import type { Deps } from '../../deps.js'
import { dueRows, type MaintenanceTask } from '../../maintenance/task.js'
import { askAgain } from './ask.js'

/** Issuers asked at once. */
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
      elsewhere: true,
      run: async (now, batchSize) => {
        const limit = Math.min(batchSize, MAX_AT_ONCE)
        const due = await pendingIssuances.hold(now, new Date(now.getTime() + HOLD_MS), limit)
        const results = await Promise.allSettled(due.map((row) => askAgain(deps, row)))
        for (const result of results) {
          if (result.status === 'rejected')
            deps.log.error({ err: result.reason }, 'deferred credentials were not asked for')
        }
        // Who waits is asked again at times that the issuer sets, so that nobody is late by minutes here.
        return { count: due.length, more: due.length === limit, lateSeconds: 0 }
      },
    },
    dueRows({ name: 'remove expired deferred credentials', everyMs: 60_000, batch: pendingIssuances.removeExpired }),
  ]
}
