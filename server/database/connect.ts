import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { PrismaClient } from '../generated/prisma/client.js'
import { KeptPool } from './kept-connections.js'
import { boundedSqlOver, type RunSql, sqlOver } from './sql.js'
import { statementNames } from './statement-names.js'

export interface DatabaseLoad {
  readonly statements: number
  readonly busy: number
  readonly idle: number
  /** How many queries wait for a connection. */
  readonly waiting: number
}

export interface Database {
  /** Models and transactions. */
  readonly prisma: PrismaClient
  /** Single statements that are written out. */
  readonly sql: RunSql
  /** Those whose cost depends on what a caller asks for: 2 s at most. */
  readonly bounded: RunSql
  /** How busy it is: statements sent so far, and connections of the pool. */
  load(): DatabaseLoad
  /** Ends every connection, once the queries under way are done. */
  close(): Promise<void>
}

export interface DatabaseOptions {
  /** Connections at most; 10 where nothing is said. */
  readonly max?: number
  /** How long a query waits for a connection, and how long a transaction may last; 5,000 unless given. */
  readonly waitMs?: number
  /**
   * How long a statement may take until its connection is given up; no limit unless given. The server ends it a second later, but
   * for one behind a pooler of transactions, where such a setting would be that of others too.
   */
  readonly statementMs?: number
  /** Told when a connection breaks that nobody is using; the next query opens another. */
  readonly onConnectionLost?: (error: Error) => void
}

/** Less than what a list's answer from a replica is waited for. */
const BOUNDED_MS = 2_000

/** Makes a client that counts what goes over its connections, Prisma's statements among it. */
function countingClient() {
  let sent = 0
  class CountingClient extends pg.Client {
    // The overloads of the driver have `never` alone in common.
    override query(...asked: never[]): never {
      sent += 1
      return Reflect.apply(super.query, this, asked) as never
    }
  }
  return { Client: CountingClient, sent: () => sent }
}

/** So that who gives a statement up knows why; without it the server would go on with what nobody waits for. */
const SERVER_LATER_MS = 1_000

/** Long timeouts for a start or a command, which no request waits for: on a busy machine slow is better than failed. */
export const UNHURRIED_MS = 60_000

/**
 * The address without `pgbouncer=true`, and whether it was there: then a pooler of transactions is between, which knows no
 * prepared statements and no start-up parameter `options`, but keeps the time zone that a client has set for it.
 */
export function poolerOf(url: string): { readonly address: string; readonly pooled: boolean } {
  const address = new URL(url)
  if (address.searchParams.get('pgbouncer') !== 'true') return { address: url, pooled: false }
  address.searchParams.delete('pgbouncer')
  return { address: address.href, pooled: true }
}

/** Prisma and plain statements over one pool of connections. Nothing is connected before the first query. */
export function connectDatabase(
  url: string,
  { max = 10, waitMs = 5_000, statementMs, onConnectionLost = () => {} }: DatabaseOptions = {},
): Database {
  const { address, pooled } = poolerOf(url)
  const { Client, sent } = countingClient()
  const pool = new KeptPool({
    Client,
    connectionString: address,
    max,
    connectionTimeoutMillis: waitMs,
    ...(statementMs === undefined ? {} : { query_timeout: statementMs }),
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    application_name: 'credence',
    // The adapter reads a timestamp's digits and drops its offset, which is right in UTC alone.
    ...(pooled
      ? { onConnect: (client: pg.ClientBase) => client.query("SET TimeZone TO 'UTC'") }
      : {
          options: '-c TimeZone=UTC',
          ...(statementMs === undefined ? {} : { statement_timeout: statementMs + SERVER_LATER_MS }),
        }),
  })
  pool.on('error', onConnectionLost)
  const nameOf = pooled ? () => '' : statementNames()
  const prisma = new PrismaClient({
    errorFormat: 'minimal',
    transactionOptions: { maxWait: waitMs, timeout: waitMs },
    adapter: new PrismaPg(pool, { statementNameGenerator: ({ sql }) => nameOf(sql) }),
  })
  return {
    prisma,
    sql: sqlOver(pool, nameOf),
    bounded: boundedSqlOver(pool, BOUNDED_MS),
    load: () => {
      const { totalCount, idleCount: idle, waitingCount: waiting } = pool
      return { statements: sent(), busy: totalCount - idle, idle, waiting }
    },
    async close() {
      await prisma.$disconnect()
      await pool.end()
    },
  }
}
