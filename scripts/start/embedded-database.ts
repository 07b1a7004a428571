import { join } from 'node:path'
import pg from 'pg'
import { projectDirectory } from '../../server/database/migrations.js'
import { Supervisor } from '../supervisor/handle.js'
import { DataDirectory } from './data-directory.js'

/** The embedded database of this clone. */
export const embeddedData = () => new DataDirectory(join(projectDirectory(), '.data'))

/**
 * Calls `use` with the embedded database's URL. If the database is not running, it is started before the call and
 * stopped after the call.
 */
export async function withEmbeddedDatabase<Result>(use: (url: string) => Promise<Result>): Promise<Result> {
  const data = embeddedData()
  const running = data.lastUrl()
  if (running !== null && (await answers(running))) return use(running)
  const supervisor = await Supervisor.start()
  try {
    return await use(await data.start(supervisor))
  } finally {
    await supervisor.end()
  }
}

async function answers(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString })
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    await client.end()
  }
}
