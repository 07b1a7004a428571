import { join } from 'node:path'
import { projectDirectory } from '../../server/database/migrations.js'
import { programOf, runInForeground } from '../launch/run-program.js'
import { withEmbeddedDatabase } from '../start/embedded-database.js'
import { readEnvironment } from '../start/environment.js'

/**
 * `npm run studio`: Prisma Studio on the database of DATABASE_URL, or else on the embedded database. If `npm start` is
 * not running, the embedded database runs until Studio ends. Accepts Studio's own options, for example `-- --port
 * 5555`.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { DATABASE_URL: url } = readEnvironment(process.env, join(projectDirectory(), '.env'))
  if (url) await openStudio(url, args)
  else await withEmbeddedDatabase((embedded) => openStudio(embedded, args))
}

async function openStudio(url: string, args: readonly string[]): Promise<void> {
  const browser = args.includes('--browser') ? [] : ['--browser', 'none']
  const env = { ...process.env, DATABASE_URL: url }
  process.exitCode = await runInForeground(programOf('prisma'), ['studio', ...browser, ...args], env)
}
