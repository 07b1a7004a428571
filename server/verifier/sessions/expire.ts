import type { Deps } from '../../deps.js'
import { DAY_SECONDS, type MaintenanceTask, secondsBefore } from '../../maintenance/job.js'

/** What becomes of verification sessions when time passes: they run out, their results and at last they themselves leave. */
export function sessionTasks({ stores, config }: Pick<Deps, 'stores' | 'config'>): readonly MaintenanceTask[] {
  const { verificationSessions } = stores
  const { sessionResultTtlSeconds, sessionRetentionDays } = config
  return [
    {
      name: 'expire verification sessions',
      everyMs: 1_000,
      run: (now, batchSize) => verificationSessions.expire(now, batchSize),
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
