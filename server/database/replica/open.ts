import type { Log } from '../../log/log.js'
import { coalesced } from '../coalesce.js'
import { connectDatabase, type Database } from '../connect.js'
import { type ListSource, type Lists, primaryLists, replicaLists } from './lists.js'
import { createStandby } from './standby.js'
import { createRecentWriters, type RecentWriters } from './writers.js'

/** Maximum wait of a list for a connection to the replica, and for its answer; then the primary is used. */
const CONNECTION_MS = 1_000
const STATEMENT_MS = 3_000

/** Lists are rare compared with other statements. */
const CONNECTIONS = 5

/** A service's access to a replica. Without a replica all members are empty, and lists come from the primary. */
export interface Replica {
  /** Makes a change, and notes its caller. */
  readonly changing: Lists<unknown>['changing']
  /** Lists over stores that can be made for either database. */
  listsOver<Stores>(stores: (database: Database) => Stores): Lists<Stores>
  readonly checks: Record<string, () => Promise<'up' | 'degraded'>>
  /** Deletes notes of changes before a moment; undefined without a replica, since no change is noted then. */
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
  // A lost connection is detected at the next list.
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
        changing: writers.changing,
        onRead,
      }),
    checks: { replica: async () => ((await standby.standing()) === 'replica' ? 'up' : 'degraded') },
    forget: writers.deleteExpired,
    close: () => replica.close(),
  }
}
