import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Log } from '../../log/log.js'
import { inTime } from '../../outbound/in-time.js'
import type { Database } from '../connect.js'
import { isRecoveryConflict } from '../errors.js'
import { fragment } from '../fragment.js'

/** How far the replica may be behind for lists to be read from it, in milliseconds. */
export const MAX_BEHIND_MS = 10_000

const ASK_EVERY_MS = 1_000
/** One where reads fail is left alone for a second, and for twice as long each time that they fail again within two minutes. */
const LEFT_ALONE_MS = { atMost: 60_000, again: 120_000 }
/** A replica that does not answer this soon is away. */
const ANSWER_MS = 1_000
/** A replica of an idle primary is given so long to replay the one commit that it has not. */
const SHORTLY_MS = 200

const zPrimary = z.strictObject({ lsn: z.string(), at: z.date(), database: z.string() })

const zReplica = z.strictObject({
  standby: z.boolean(),
  /** Whether all that the primary had written was replayed; null where nothing is. */
  level: z.boolean().nullable(),
  /** When the last transaction that was replayed was committed, by the primary's clock. */
  at: z.date().nullable(),
  database: z.string(),
})

/** `replica`: lists may be read there. `behind`: by more than MAX_BEHIND_MS. `away`: it does not answer, or is not one. */
export type Standing = 'replica' | 'behind' | 'away'

/** What is known of the replica. */
export interface Standby {
  /** Asks where it stands, at most once a second, and waits for that only where what is known is too old. */
  standing(): Promise<Standing>
  /** A read failed there. */
  failed(error: unknown): void
}

interface Databases {
  readonly primary: Pick<Database, 'sql'>
  readonly replica: Pick<Database, 'sql'>
}

/** Which database of which installation it is: positions in another one's log say nothing. */
const IDENTITY = fragment`(SELECT system_identifier FROM pg_control_system()) || ' ' || current_database()`

/** By how many milliseconds the replica is behind, at most; Infinity where that cannot be known. */
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
  // The last commit before this one may have been hours ago.
  await sleep(SHORTLY_MS)
  return ask()
}

export function createStandby(databases: Databases, log: Log): Standby {
  let standing: Standing = 'replica'
  /** It has all that was committed before this moment of the process's own clock. */
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
      // It was well when it was asked, and a read failed since.
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
      // Nobody waits for a replica that is away to come back.
      if (!isFresh() && standing !== 'away') await asking
      if (standing === 'replica' && !isFresh()) becomes('behind')
      return standing
    },
    failed(error) {
      // Of many reads that fail together, one counts.
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
