import { pathToFileURL } from 'node:url'
import { ensureDefaults } from '../agent/defaults.js'
import { createRegistrationStore } from '../agent/registrations/store.js'
import { createAgentStore } from '../agent/store.js'
import { type Config, readConfig } from '../config/config.js'
import { connectDatabase, UNHURRIED_MS } from '../database/connect.js'
import { migrate } from '../database/migrate.js'
import { withStartLock } from '../database/start-lock.js'
import { createDidStore } from '../dids/store.js'
import { createKeyRotationStore } from '../key-rotation/store.js'
import type { KeyRing } from '../keys/envelope/open.js'
import { openKeys } from '../keys/open-keys.js'
import { createKeyProviders } from '../keys/providers/providers.js'
import { createKeyStore } from '../keys/store.js'
import { createVault } from '../keys/vault.js'
import { createLog, type Log, logDestination } from '../log/log.js'
import { whyNotStarted } from './start-failure.js'
import { endWhileStarting } from './stop-signals.js'

/**
 * Migrates the database to this version and creates the default records. One process does this at a time.
 *
 * @returns the key-encryption keys. A key that a key provider wraps was unwrapped once
 */
export async function prepareDatabase(config: Config, log: Log): Promise<KeyRing> {
  return withStartLock(config.directDatabaseUrl, async (lock) => {
    const applied = await migrate(lock)
    if (applied.length > 0) log.info({ migrations: applied }, 'database migrated')
    const database = connectDatabase(config.directDatabaseUrl, { max: 2, waitMs: UNHURRIED_MS })
    const providers = createKeyProviders({ config, clock: () => new Date() })
    try {
      const stores = {
        agents: createAgentStore(database),
        dids: createDidStore(database),
        keys: createKeyStore(database),
        keyRotation: createKeyRotationStore(database),
        registrations: createRegistrationStore(database),
      }
      const { keys, encrypted } = await openKeys({ config, database, providers, log })
      const vault = createVault(keys)
      if (encrypted > 0) log.info({ values: encrypted }, 'stored secrets encrypted for their rows')
      await ensureDefaults({ config, vault, newId: () => crypto.randomUUID(), providers, ...stores })
      return keys
    } finally {
      await providers.close()
      await database.close()
    }
  })
}

/**
 * The command for the migration job of a deployment. It prepares the database as the start of a service does, and does
 * nothing else. If it fails, it exits with 1 and writes the reason to standard error.
 */
export async function runPrepareCommand(environment: NodeJS.ProcessEnv): Promise<void> {
  let config: Config | undefined
  endWhileStarting()
  try {
    config = readConfig(environment)
    const log = createLog(config.logLevel, await logDestination(process.stdout))
    await prepareDatabase(config, log)
    log.info('database ready')
    log.flush()
  } catch (error) {
    process.stderr.write(`${whyNotStarted(error, config, true)}\n`)
    process.exitCode = 1
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await import('dotenv/config')
  await runPrepareCommand(process.env)
}
