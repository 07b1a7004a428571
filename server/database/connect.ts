import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { PrismaClient } from '../generated/prisma/client.js'
import { KeptPool } from './kept-connections.js'
import { boundedSqlOver, type RunSql, sqlOver } from './sql.js'
import { statementNames } from './statement-names.js'
import { UnitOfWork } from './unit-of-work.js'

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
  /** Single SQL statements whose cost depends on a caller's request. A statement may take at most 2 seconds. */
  readonly bounded: RunSql
  /** Makes a unit of work: statements that are committed together. */
  newUnit(): UnitOfWork
  /** Returns the number of statements that were sent so far, and the state of the connection pool. */
  load(): DatabaseLoad
  /** Ends every connection after its running queries. */
  close(): Promise<void>
}

export interface DatabaseOptions {
  /** Maximum number of connections. Default: 10. */
  readonly max?: number
  /** Maximum wait of a query for a connection, and maximum duration of a transaction, in milliseconds. Default: 5,000. */
  readonly waitMs?: number
  /**
   * Milliseconds after which a running statement's connection is dropped. Default: no limit. The server cancels the
   * statement one second later. Behind a pooler in transaction mode, the server does not cancel the statement, because
   * the necessary setting would also apply to other clients of the pooler.
   */
  readonly statementMs?: number
  /** Called when an unused connection is lost. The next query opens a new connection. */
  readonly onConnectionLost?: (error: Error) => void
}

/** Time limit for statements of `bounded`. It is shorter than the time that a list waits for an answer of a replica. */
const BOUNDED_MS = 2_000

/** Makes a class of connections that counts the statements that are sent over them, including Prisma's statements. */
function countingClient() {
  let sent = 0
  class CountingClient extends pg.Client {
    // The type is `never`, because the driver's overloads have no other common type.
    override query(...asked: never[]): never {
      sent += 1
      return Reflect.apply(super.query, this, asked) as never
    }
  }
  return { Client: CountingClient, sent: () => sent }
}

/**
 * Milliseconds between the time when the client gives up a statement and the time when the server cancels it. The
 * client's limit is shorter, so that the client knows why the statement failed.
 */
const SERVER_LATER_MS = 1_000

/**
 * Timeout for statements of the start and of commands. It is long, because no request waits for these statements, and
 * because on a busy machine a slow start is better than a failed start.
 */
export const UNHURRIED_MS = 60_000

/**
 * Returns the address without `pgbouncer=true`, and whether the address contained this parameter. With the parameter, a
 * pooler in transaction mode is between the service and PostgreSQL. The pooler supports no prepared statements and no
 * start-up parameter `options`, but it preserves the time zone that a client sets.
 */
export function poolerOf(url: string): { readonly address: string; readonly pooled: boolean } {
  const address = new URL(url)
  if (address.searchParams.get('pgbouncer') !== 'true') return { address: url, pooled: false }
  address.searchParams.delete('pgbouncer')
  return { address: address.href, pooled: true }
}

/**
 * Makes the access to the database. Prisma and plain SQL statements share one pool of connections. The first query
 * opens the first connection.
 */
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
    // The time zone must be UTC, because Prisma's adapter ignores the offset of a timestamp.
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
    newUnit: () => new UnitOfWork(pool),
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
