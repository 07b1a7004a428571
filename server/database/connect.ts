import { createHash } from 'node:crypto'
import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { PrismaClient } from '../generated/prisma/client.js'

export interface Database {
  readonly prisma: PrismaClient
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
 * A Prisma client over one pool of connections. Nothing is connected before the first query, and a query waits for a
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
  const prisma = new PrismaClient({
    errorFormat: 'minimal',
    adapter: new PrismaPg(pool, { statementNameGenerator: statementNames() }),
  })
  return {
    prisma,
    async close() {
      await prisma.$disconnect()
      await pool.end()
    },
  }
}

/** Statements that PostgreSQL keeps parsed on each connection; more shapes than this come from lists of varying length. */
const maxStatements = 300

/** A name for each statement, so that it is parsed and planned once on each connection; none (empty) beyond the bound. */
function statementNames(): (query: { readonly sql: string }) => string {
  const names = new Map<string, string>()
  return ({ sql }) => {
    const known = names.get(sql)
    if (known !== undefined || names.size >= maxStatements) return known ?? ''
    const name = createHash('sha256').update(sql).digest('base64url')
    names.set(sql, name)
    return name
  }
}
