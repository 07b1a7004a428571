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
  /** Number of queries that wait for a connection. */
  readonly waiting: number
}

export interface Database {
  /** Models and transactions. */
  readonly prisma: PrismaClient
  /** Single SQL statements. */
  readonly sql: RunSql
  /** Statements whose cost depends on a caller's request: at most 2 s each. */
  readonly bounded: RunSql
  /** Load: statements sent so far, and connections of the pool. */
  load(): DatabaseLoad
  /** Ends every connection after its running queries. */
  close(): Promise<void>
}

export interface DatabaseOptions {
  /** Maximum of connections; 10 unless given. */
  readonly max?: number
  /** Maximum wait of a query for a connection, and maximum duration of a transaction, in milliseconds; 5,000 unless given. */
  readonly waitMs?: number
  /**
   * Milliseconds after which a running statement's connection is dropped; no limit unless given. The server cancels the
   * statement one second later. Behind a pooler of transactions the server does not cancel it, because the setting
   * would apply to other clients too.
   */
  readonly statementMs?: number
  /** Called when an unused connection breaks; the next query opens a new one. */
  readonly onConnectionLost?: (error: Error) => void
}

/** Shorter than the wait for a list's answer from a replica. */
const BOUNDED_MS = 2_000

/** Makes a client that counts the statements on its connections, including Prisma's. */
function countingClient() {
  let sent = 0
  class CountingClient extends pg.Client {
    // The driver's overloads have only `never` in common.
    override query(...asked: never[]): never {
      sent += 1
      return Reflect.apply(super.query, this, asked) as never
    }
  }
  return { Client: CountingClient, sent: () => sent }
}

/**
 * Time after the client's limit at which the server cancels a statement. The client's limit comes first, so the client
 * knows the reason.
 */
const SERVER_LATER_MS = 1_000

/**
 * Long timeout for a start or a command. No request waits for them, and on a busy machine a slow start is better than a
 * failed start.
 */
export const UNHURRIED_MS = 60_000

/**
 * The address without `pgbouncer=true`, and whether the address had it. If so, a pooler of transactions is between the
 * service and PostgreSQL. The pooler supports no prepared statements and no start-up parameter `options`, but it keeps
 * the time zone that a client sets.
 */
export function poolerOf(url: string): { readonly address: string; readonly pooled: boolean } {
  const address = new URL(url)
  if (address.searchParams.get('pgbouncer') !== 'true') return { address: url, pooled: false }
  address.searchParams.delete('pgbouncer')
  return { address: address.href, pooled: true }
}

/** Prisma and plain statements over one pool of connections. The first query opens the first connection. */
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
    // The adapter reads a timestamp's digits and drops its offset, which is correct in UTC only.
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
