import type { Deps } from '../../deps.js'
import { DAY_SECONDS, type MaintenanceTask, secondsBefore } from '../../maintenance/job.js'

type Expiring = Pick<Deps, 'stores' | 'metrics'>

/** Ends open sessions that ran out, at most `limit`; one of them where its id is given. @returns how many. */
export async function expireSessions(deps: Expiring, now: Date, limit: number, id?: string): Promise<number> {
  const expired = await deps.stores.verificationSessions.expire(now, limit, id)
  deps.metrics.verificationSession('expired', undefined, expired)
  return expired
}

/** Maintenance of verification sessions: open ones expire, results are deleted, and later the sessions themselves. */
export function sessionTasks(deps: Pick<Deps, 'stores' | 'config' | 'metrics'>): readonly MaintenanceTask[] {
  const { stores, config } = deps
  const { verificationSessions } = stores
  const { sessionResultTtlSeconds, sessionRetentionDays } = config
  return [
    {
      name: 'expire verification sessions',
      everyMs: 1_000,
      run: (now, batchSize) => expireSessions(deps, now, batchSize),
    },
    {
      name: 'forget verified claims',
      everyMs: 15_000,
      run: (now, batchSize) =>
        verificationSessions.forgetResults(secondsBefore(now, sessionResultTtlSeconds), batchSize),
    },
    {
      name: 'remove ended verification sessions',
      everyMs: 600_000,
      run: (now, batchSize) =>
        verificationSessions.removeEnded(secondsBefore(now, sessionRetentionDays * DAY_SECONDS), batchSize),
    },
  ]
}
