import { randomUUID } from 'node:crypto'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { startTemporaryPostgres } from '../../scripts/postgres/temporary.js'
import { migrate } from '../../server/database/migrate.js'
import { withStartLock } from '../../server/database/start-lock.js'
import { memoryFolder } from './memory-folder.js'
import { type DatabaseServer, databaseUrl } from './postgres.js'

/** Provides one server for the whole run: the server of TEST_DATABASE_URL, or an embedded server that is removed afterwards. */
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

/** Hashes the password once instead of 4,096 times, because each of a run's thousands of connections would repeat these hashes. */
async function easePassword(url: string): Promise<void> {
  const { username, password } = new URL(url)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('SET scram_iterations = 1')
  await client.query(`ALTER ROLE ${username} PASSWORD ${pg.escapeLiteral(decodeURIComponent(password))}`)
  await client.end()
}

/**
 * Migrates one database, of which the database of each test is a copy. The first project of Vitest that has tests does
 * this for all projects.
 */
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
