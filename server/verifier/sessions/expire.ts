import type { Deps } from '../../deps.js'
import type { MaintenanceTask } from '../../maintenance/job.js'

const DAY_MS = 24 * 60 * 60 * 1000

const before = (now: Date, ms: number) => new Date(now.getTime() - ms)

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
        verificationSessions.forgetResults(before(now, sessionResultTtlSeconds * 1000), batchSize),
    },
    {
      name: 'remove ended verification sessions',
      everyMs: 600_000,
      run: (now, batchSize) => verificationSessions.removeEnded(before(now, sessionRetentionDays * DAY_MS), batchSize),
    },
  ]
}
