import type { BatchDone } from '../../database/batch.js'
import type { Deps } from '../../deps.js'
import { DAY_SECONDS, dueRows, type MaintenanceTask } from '../../maintenance/task.js'

type Expiring = Pick<Deps, 'stores' | 'metrics'>

/** Ends open sessions that ran out, at most `limit`; one of them where its id is given. */
export async function expireSessions(deps: Expiring, now: Date, limit: number, id?: string): Promise<BatchDone> {
  const expired = await deps.stores.verificationSessions.expire(now, limit, id)
  deps.metrics.verificationSession('expired', undefined, expired.count)
  return expired
}

/** Maintenance of verification sessions: open ones expire, results are deleted, and later the sessions themselves. */
export function sessionTasks(deps: Pick<Deps, 'stores' | 'config' | 'metrics'>): readonly MaintenanceTask[] {
  const { stores, config } = deps
  const { verificationSessions } = stores
  const { sessionResultTtlSeconds, sessionRetentionDays } = config
  return [
    dueRows({
      name: 'expire verification sessions',
      everyMs: 1_000,
      batch: (now, limit) => expireSessions(deps, now, limit),
    }),
    dueRows({
      name: 'forget verified claims',
      everyMs: 15_000,
      seconds: sessionResultTtlSeconds,
      batch: verificationSessions.forgetResults,
    }),
    dueRows({
      name: 'remove ended verification sessions',
      everyMs: 600_000,
      seconds: sessionRetentionDays * DAY_SECONDS,
      batch: verificationSessions.removeEnded,
    }),
  ]
}
