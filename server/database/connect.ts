import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { PrismaClient } from '../generated/prisma/client.js'
import { type RunSql, sqlOver } from './sql.js'
import { statementNames } from './statement-names.js'

export interface Database {
  /** Models and transactions. */
  readonly prisma: PrismaClient
  /** Single statements that are written out. */
  readonly sql: RunSql
  /** Ends every connection, once the queries under way are done. */
  close(): Promise<void>
}

export interface DatabaseOptions {
  /** Connections at most; 10 where nothing is said. */
  readonly max?: number
  /** Told when a connection breaks that nobody is using; the next query opens another. */
  readonly onConnectionLost?: (error: Error) => void
}

/**
 * Prisma and plain statements over one pool of connections. Nothing is connected before the first query, and a query waits for a
 * connection for five seconds at most.
 */
export function connectDatabase(
  url: string,
  { max = 10, onConnectionLost = () => {} }: DatabaseOptions = {},
): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    application_name: 'credence',
    // The adapter reads a timestamp's digits and drops its offset, which is right in UTC alone.
    options: '-c TimeZone=UTC',
  })
  pool.on('error', onConnectionLost)
  const nameOf = statementNames()
  const prisma = new PrismaClient({
    errorFormat: 'minimal',
    adapter: new PrismaPg(pool, { statementNameGenerator: ({ sql }) => nameOf(sql) }),
  })
  return {
    prisma,
    sql: sqlOver(pool, nameOf),
    async close() {
      await prisma.$disconnect()
      await pool.end()
    },
  }
}
