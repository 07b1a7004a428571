import { randomUUID } from 'node:crypto'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { startTemporaryPostgres } from '../../scripts/postgres/temporary.js'
import { migrate } from '../../server/database/migrate.js'
import { withStartLock } from '../../server/database/start-lock.js'
import { memoryFolder } from './memory-folder.js'
import { type DatabaseServer, databaseUrl } from './postgres.js'

/** One server for the whole run: of TEST_DATABASE_URL, or embedded and gone afterwards. */
async function startServer(): Promise<{ url: string; remove(): Promise<void> }> {
  const url = process.env.TEST_DATABASE_URL
  if (url) return { url, remove: async () => {} }
  const server = await startTemporaryPostgres({}, undefined, await memoryFolder())
  try {
    await easePassword(server.url)
  } catch (error) {
    await server.remove()
    throw error
  }
  return server
}

/** The password hashed once instead of 4,096 times. Each of a run's thousands of connections would repeat these hashes. */
async function easePassword(url: string): Promise<void> {
  const { username, password } = new URL(url)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('SET scram_iterations = 1')
  await client.query(`ALTER ROLE ${username} PASSWORD ${pg.escapeLiteral(decodeURIComponent(password))}`)
  await client.end()
}

/** Migrates once; each test's database is a copy of the outcome. The first project that has tests to run does it for all. */
export default async function setup({ vitest }: TestProject): Promise<(() => Promise<void>) | undefined> {
  const root = vitest.getRootProject()
  if ('databaseServer' in root.getProvidedContext()) return
  const server = await startServer()
  const template = `credence_template_${randomUUID().replaceAll('-', '')}`
  const administrator = new pg.Client({ connectionString: server.url })
  await administrator.connect()
  await administrator.query(`CREATE DATABASE ${template}`)
  await withStartLock(databaseUrl(server.url, template), (lock) => migrate(lock))
  root.provide('databaseServer', { url: server.url, template })
  return async () => {
    await administrator.query(`DROP DATABASE ${template} WITH (FORCE)`)
    await administrator.end()
    await server.remove()
  }
}

declare module 'vitest' {
  export interface ProvidedContext {
    databaseServer: DatabaseServer
  }
}
