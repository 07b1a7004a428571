import { type Config, ConfigurationError } from '../config/config.js'
import type { Database } from '../database/connect.js'
import type { Log } from '../log/log.js'
import { NOT_DECRYPTED } from './at-rest/begin.js'
import { createAtRestStore } from './at-rest/store.js'
import { type KeyRing, openEnvelopeKeys } from './envelope/open.js'
import { createEnvelopeStore } from './envelope/store.js'
import type { Wrapping } from './envelope/wrapped.js'
import { openStoredKeys } from './keys.js'
import { createKeyStore } from './store.js'

/** Dependencies of {@link openKeys}. */
export interface OpenKeysPorts {
  readonly config: Pick<Config, 'keyEncryptionKeys' | 'wrapping'>
  readonly database: Database
  readonly providers: Wrapping
  readonly log: Pick<Log, 'info' | 'warn'>
}

/**
 * Opens the key-encryption keys of the environment and of the database, and checks the stored keys with them. With a wrapping key, the
 * caller holds the start lock.
 *
 * @returns the key-encryption keys, and the number of values that were encrypted
 * @throws {ConfigurationError} if a key cannot be unwrapped, or if the keys do not decrypt the stored keys
 */
export async function openKeys({
  config,
  database,
  providers,
  log,
}: OpenKeysPorts): Promise<{ readonly keys: KeyRing; readonly encrypted: number }> {
  const { keys, settle } = await openEnvelopeKeys({ config, store: createEnvelopeStore(database), providers, log })
  const stores = { keys: createKeyStore(database), atRest: createAtRestStore(database) }
  const encrypted = await openStoredKeys(stores, keys).catch((error: unknown) => {
    if (config.wrapping.current === undefined || !(error instanceof ConfigurationError)) throw error
    if (error.message !== NOT_DECRYPTED) throw error
    throw new ConfigurationError(
      'The key-encryption keys that KEY_ENCRYPTION_PROVIDER unwraps do not decrypt the stored keys. If KEY_ENCRYPTION_KEY encrypted them, set KEY_ENCRYPTION_KEY_PREVIOUS to its value.',
      { cause: error },
    )
  })
  await settle()
  return { keys, encrypted }
}
