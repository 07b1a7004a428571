import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { startTemporaryPostgres } from '../../scripts/postgres/temporary.js'
import { migrate } from '../../server/database/migrate.js'
import { withStartLock } from '../../server/database/start-lock.js'
import { memoryFolder } from './memory-folder.js'

/** The data that test/support/database-setup.ts provides for the workers. */
export interface DatabaseServer {
  /** URL of a database whose user may create other databases. */
  readonly url: string
  /** Name of the database that has every migration and no rows. */
  readonly template: string
}

/** A separate database for one test or file. */
export interface TestDatabase {
  readonly url: string
  /** Removes the database and ends its connections. */
  drop(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** A separate server, for tests that stop their database. */
export interface OwnPostgres {
  /** URL of a migrated database. */
  readonly url: string
  /** Begins an outage: every connection breaks, and new connections are refused. */
  stop(): Promise<void>
  /** Ends the outage, with the same address and the same data. */
  restart(): Promise<void>
  remove(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** SQLSTATE object_in_use: a different worker is copying the template at this moment. */
const objectInUse = '55006'

/** Returns the URL of a different database of the same server. */
export function databaseUrl(serverUrl: string, database: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${database}`
  return url.href
}

/** Makes a migrated, empty database on the run's server. This takes some tens of milliseconds and is safe in parallel workers. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { url, template } = inject('databaseServer')
  return copyOf(template, url)
}

/** Makes an empty database without tables on the run's server. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  return copyOf('template0', inject('databaseServer').url)
}

/** Starts a separate embedded PostgreSQL with a migrated database, in less than two seconds. */
export async function startOwnPostgres(settings: Readonly<Record<string, string>> = {}): Promise<OwnPostgres> {
  const { url, stop, restart, remove } = await startTemporaryPostgres(settings, undefined, await memoryFolder())
  await withStartLock(url, (lock) => migrate(lock))
  return { url, stop, restart, remove, [Symbol.asyncDispose]: remove }
}

async function copyOf(template: string, serverUrl: string): Promise<TestDatabase> {
  const name = `credence_test_${randomUUID().replaceAll('-', '')}`
  for (let attempt = 1; ; attempt += 1) {
    try {
      // For a few megabytes, copying the files is faster than copying through the write-ahead log.
      await query(serverUrl, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`)
      break
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || error.code !== objectInUse || attempt === 20) throw error
    }
  }
  const drop = async () => {
    await query(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  }
  return { url: databaseUrl(serverUrl, name), drop, [Symbol.asyncDispose]: drop }
}

/**
 * The name of each table with its schema, quoted. Partitions are left out: their rows are rows of the named tables, and
 * the maintenance job drops partitions at any time.
 */
export async function tableNames(url: string): Promise<string[]> {
  const tables = await query<{ name: string }>(
    url,
    `SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND n.nspname NOT IN ('pg_catalog', 'information_schema')
     ORDER BY 1`,
  )
  return tables.map(({ name }) => name)
}

/** Each row of each table, as text. */
export async function everyRow(url: string): Promise<string[]> {
  const selects = (await tableNames(url)).map((name) => `SELECT t::text AS text FROM ${name} t`)
  return (await query<{ text: string }>(url, selects.join(' UNION ALL '))).map(({ text }) => text)
}

/** Runs one statement on a new connection. */
export async function query<Row extends pg.QueryResultRow>(
  url: string,
  sql: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(sql, values)).rows
  } finally {
    await client.end()
  }
}
