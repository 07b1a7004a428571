import { join } from 'node:path'
import pg from 'pg'
import { projectDirectory } from '../../server/database/migrations.js'
import { programOf, runInForeground } from '../setup/run-program.js'
import { DataDirectory } from '../start/data-directory.js'
import { readEnvironment } from '../start/settings.js'
import { Supervisor } from '../supervisor/handle.js'

/**
 * `npm run studio`: Prisma Studio on the database of DATABASE_URL, else on the embedded one, which is started for as
 * long as need be where `npm start` does not run it. Takes Studio's own options, for example `-- --port 5555`.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { DATABASE_URL: url } = readEnvironment(process.env, join(projectDirectory(), '.env'))
  if (url) return openStudio(url, args)
  const data = new DataDirectory(join(projectDirectory(), '.data'))
  const running = data.lastUrl()
  if (running !== null && (await answers(running))) return openStudio(running, args)
  const supervisor = await Supervisor.start()
  try {
    await openStudio(await data.start(supervisor), args)
  } finally {
    await supervisor.end()
  }
}

async function openStudio(url: string, args: readonly string[]): Promise<void> {
  const browser = args.includes('--browser') ? [] : ['--browser', 'none']
  const env = { ...process.env, DATABASE_URL: url }
  process.exitCode = await runInForeground(programOf('prisma'), ['studio', ...browser, ...args], env)
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
