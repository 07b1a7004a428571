import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Log } from '../../log/log.js'
import { inTime } from '../../outbound/in-time.js'
import type { Database } from '../connect.js'
import { isRecoveryConflict } from '../errors.js'
import { fragment } from '../fragment.js'

/** Maximum lag of the replica in milliseconds. With a larger lag, lists come from the primary. */
export const MAX_BEHIND_MS = 10_000

const ASK_EVERY_MS = 1_000
/** After a failed read, a replica is not used for a second. The pause doubles with each further failure within two minutes. */
const LEFT_ALONE_MS = { atMost: 60_000, again: 120_000 }
/** A replica that does not answer within this time counts as `away`. */
const ANSWER_MS = 1_000
/** Time in which the replica of an idle primary replays the last commit. */
const SHORTLY_MS = 200

const zPrimary = z.strictObject({ lsn: z.string(), at: z.date(), database: z.string() })

const zReplica = z.strictObject({
  standby: z.boolean(),
  /**
   * Whether the replica has replayed everything that the primary had written; null if the replica has replayed nothing.
   */
  level: z.boolean().nullable(),
  /** Commit time of the last replayed transaction, by the primary's clock. */
  at: z.date().nullable(),
  database: z.string(),
})

/**
 * `replica`: lists may be read from it. `behind`: its lag is more than MAX_BEHIND_MS. `away`: the replica does not
 * answer, or the database is not a replica.
 */
export type Standing = 'replica' | 'behind' | 'away'

/** The state of the replica, as far as this process knows it. */
export interface Standby {
  /** Checks the replica at most once a second. Waits for the check only if the last known state is too old. */
  standing(): Promise<Standing>
  /** Reports a failed read on the replica. */
  failed(error: unknown): void
}

interface Databases {
  readonly primary: Pick<Database, 'sql'>
  readonly replica: Pick<Database, 'sql'>
}

/**
 * Identifies the PostgreSQL installation and the database in it. Log positions can be compared only within the same
 * database.
 */
const IDENTITY = fragment`(SELECT system_identifier FROM pg_control_system()) || ' ' || current_database()`

/** Upper limit of the replica's lag in milliseconds; Infinity if it is unknown. */
async function behindBy({ primary, replica }: Databases): Promise<number> {
  const [here] = await primary.sql(zPrimary)`
    SELECT pg_current_wal_insert_lsn()::text AS lsn, clock_timestamp() AS at,
      ${IDENTITY} AS database`
  const ask = async () => {
    const [there] = await replica.sql(zReplica)`
      SELECT pg_is_in_recovery() AS standby, pg_last_wal_replay_lsn() >= ${here?.lsn ?? ''}::pg_lsn AS level,
        pg_last_xact_replay_timestamp() AS at,
        ${IDENTITY} AS database`
    if (there?.standby !== true || there.database !== here?.database)
      throw new Error('It is no replica of DATABASE_URL.')
    if (there.level === true) return 0
    return there.at === null ? Number.POSITIVE_INFINITY : Math.max(0, here.at.getTime() - there.at.getTime())
  }
  const behind = await ask()
  if (behind <= MAX_BEHIND_MS) return behind
  // The primary may have been idle for hours before its newest commit. A replica that lacks only this commit then seems
  // to be hours behind.
  await sleep(SHORTLY_MS)
  return ask()
}

export function createStandby(databases: Databases, log: Log): Standby {
  let standing: Standing = 'replica'
  /** The replica has everything that was committed before this time. The time is by the clock of this process. */
  let reaches = Number.NEGATIVE_INFINITY
  let askAgainAt = Number.NEGATIVE_INFINITY
  let failedAt = Number.NEGATIVE_INFINITY
  let leftAloneMs = ASK_EVERY_MS
  let asking: Promise<void> | undefined

  const becomes = (now: Standing, reason?: string) => {
    if (now === standing) return
    standing = now
    if (now === 'replica') log.info('lists are read from the replica again')
    else log.warn({ standing, ...(reason === undefined ? {} : { reason }) }, 'lists are read from the primary')
  }
  const isFresh = () => performance.now() - reaches <= MAX_BEHIND_MS
  const lost = (error: unknown) => {
    reaches = Number.NEGATIVE_INFINITY
    becomes('away', error instanceof Error ? error.message : String(error))
  }
  const ask = async () => {
    const asked = performance.now()
    askAgainAt = asked + ASK_EVERY_MS
    try {
      const behind = await inTime(behindBy(databases), ANSWER_MS)
      // A read has failed after the replica was asked. So a good answer of the replica is outdated.
      if (failedAt > asked) return
      reaches = Math.max(reaches, asked - behind)
      becomes(isFresh() ? 'replica' : 'behind')
    } catch (error) {
      lost(error)
    }
  }

  return {
    async standing() {
      if (asking === undefined && performance.now() >= askAgainAt) {
        asking = ask().finally(() => {
          asking = undefined
        })
      }
      // A request does not wait for an unavailable replica to return.
      if (!isFresh() && standing !== 'away') await asking
      if (standing === 'replica' && !isFresh()) becomes('behind')
      return standing
    },
    failed(error) {
      // If many reads fail at the same time, only the first failure counts.
      if (isRecoveryConflict(error) || standing === 'away') return
      const now = performance.now()
      const again = now - failedAt <= LEFT_ALONE_MS.again
      leftAloneMs = again ? Math.min(2 * leftAloneMs, LEFT_ALONE_MS.atMost) : ASK_EVERY_MS
      failedAt = now
      askAgainAt = now + leftAloneMs
      lost(error)
    },
  }
}
