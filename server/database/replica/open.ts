import type { Log } from '../../log/log.js'
import { coalesced } from '../coalesce.js'
import { connectDatabase, type Database } from '../connect.js'
import { type ListSource, type Lists, primaryLists, replicaLists } from './lists.js'
import { createStandby } from './standby.js'
import { createRecentWriters, type RecentWriters } from './writers.js'

/**
 * The maximum time that a list waits for a connection to the replica, and the maximum time that it waits for the
 * answer. After that the primary is used.
 */
const CONNECTION_MS = 1_000
const STATEMENT_MS = 3_000

/**
 * The maximum number of connections to the replica. It is small, because lists are rare compared with other statements.
 */
const CONNECTIONS = 5

/**
 * The access to a replica. It also exists without a replica: then lists come from the primary, and the members do
 * nothing.
 */
export interface Replica {
  /**
   * Makes a change that is visible in lists. For the next 10 seconds, every process reads the caller's lists from the
   * primary.
   */
  readonly changing: RecentWriters['changing']
  /** Makes the reader for lists. `stores` makes the stores for the replica and for the primary. */
  listsOver<Stores>(stores: (database: Database) => Stores): Lists<Stores>
  readonly checks: Record<string, () => Promise<'up' | 'degraded'>>
  /**
   * Deletes the records of changes that expired before a certain time. Undefined without a replica, because no changes
   * are recorded then.
   */
  readonly forget: RecentWriters['deleteExpired'] | undefined
  close(): Promise<void>
}

export interface ReplicaOptions {
  readonly url: string | undefined
  readonly database: Database
  readonly log: Log
  readonly onRead: (source: ListSource) => void
}

/** Connects to the replica when the first list is read. A service also starts and runs while the replica is away. */
export function openReplica({ url, database, log, onRead }: ReplicaOptions): Replica {
  if (url === undefined)
    return {
      listsOver: (stores) => primaryLists(stores(database)),
      changing: (_, change) => change(),
      checks: {},
      forget: undefined,
      close: async () => {},
    }
  // A lost connection needs no handler: it is noticed when the next list is read.
  const replica = connectDatabase(url, { max: CONNECTIONS, waitMs: CONNECTION_MS, statementMs: STATEMENT_MS })
  const standby = createStandby({ primary: database, replica }, log)
  const writers = createRecentWriters(database)
  const wrote = coalesced(writers.among)
  return {
    changing: writers.changing,
    listsOver: (stores) =>
      replicaLists({
        primary: stores(database),
        replica: stores(replica),
        standby,
        wrote,
        onRead,
      }),
    checks: { replica: async () => ((await standby.standing()) === 'replica' ? 'up' : 'degraded') },
    forget: writers.deleteExpired,
    close: () => replica.close(),
  }
}
