import { join } from 'node:path'
import { projectDirectory } from '../../server/database/migrations.js'
import { runKeysCommand } from '../../server/key-rotation/command.js'
import { embeddedData, withEmbeddedDatabase } from '../start/embedded-database.js'
import { readEnvironment } from '../start/environment.js'
import { findMissingKeys } from '../start/identity-provider.js'
import { planStart } from '../start/settings.js'

/** Replaces the port that `npm start` would choose. A rotation does not depend on the port. */
const ANY_PORT = 3000

/**
 * `npm run keys:rotate`: rotates keys with the settings and the database of `npm start`. `npm start` need not be running.
 * `node dist/server/key-rotation/command.js` does the same in a built service, with settings from the environment only.
 */
export async function run(args: readonly string[]): Promise<void> {
  const given = readEnvironment(process.env, join(projectDirectory(), '.env'))
  const keys = await findMissingKeys(given)
  const { added, embeddedDatabase } = planStart(given, ANY_PORT, undefined, keys)
  const environment = { ...given, ...added }
  if (!embeddedDatabase) return runKeysCommand(args, environment)
  if (embeddedData().lastUrl() === null) throw new Error('There is no database yet. Run npm start first.')
  await withEmbeddedDatabase((url) => runKeysCommand(args, { ...environment, DATABASE_URL: url }))
}
