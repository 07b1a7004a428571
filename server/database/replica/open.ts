import type { Log } from '../../log/log.js'
import { dueRows, type MaintenanceTask } from '../../maintenance/task.js'
import { connectDatabase, type Database } from '../connect.js'
import { type ListSource, type Lists, primaryLists, replicaLists } from './lists.js'
import { createStandby } from './standby.js'
import { createRecentWriters } from './writers.js'

/** How long a list waits for a connection to the replica, and for its answer; then the primary is asked. */
const CONNECTION_MS = 1_000
const STATEMENT_MS = 3_000

/** Lists are few beside everything else. */
const CONNECTIONS = 5

/** Processes and database may differ in what time it is. */
const KEPT_SECONDS = 3_600

/** What a service has of a replica; without one, all of it is empty but the lists, which are the primary's. */
export interface Replica<Stores> {
  readonly lists: Lists<Stores>
  readonly checks: Record<string, () => Promise<'up' | 'degraded'>>
  readonly tasks: readonly MaintenanceTask[]
  close(): Promise<void>
}

export interface ReplicaOptions<Stores> {
  readonly url: string | undefined
  readonly database: Database
  readonly stores: Stores
  readonly storesOver: (replica: Database) => Stores
  readonly log: Log
  readonly onRead: (source: ListSource) => void
}

/** Connects to the replica when the first list is read. A service runs and starts without it as well. */
export function openReplica<Stores>(options: ReplicaOptions<Stores>): Replica<Stores> {
  const { url, database, stores, storesOver, log, onRead } = options
  if (url === undefined) return { lists: primaryLists(stores), checks: {}, tasks: [], close: async () => {} }
  // That a connection was lost shows at the next list.
  const replica = connectDatabase(url, { max: CONNECTIONS, waitMs: CONNECTION_MS, statementMs: STATEMENT_MS })
  const standby = createStandby({ primary: database, replica }, log)
  const writers = createRecentWriters(database)
  return {
    lists: replicaLists({ primary: stores, replica: storesOver(replica), standby, writers, onRead }),
    checks: { replica: async () => ((await standby.standing()) === 'replica' ? 'up' : 'degraded') },
    tasks: [dueRows({ name: 'recent-writers', everyMs: 60_000, seconds: KEPT_SECONDS, batch: writers.deleteExpired })],
    close: () => replica.close(),
  }
}
