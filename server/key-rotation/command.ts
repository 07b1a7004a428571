import { pathToFileURL } from 'node:url'
import { ConfigurationError, readConfig } from '../config/config.js'
import { connectDatabase, UNHURRIED_MS } from '../database/connect.js'
import type { SigningAlgorithm } from '../dids/identity.js'
import { reencrypt } from '../keys/at-rest/reencrypt.js'
import { createAtRestStore } from '../keys/at-rest/store.js'
import { createWalkStore } from '../keys/at-rest/walk-store.js'
import { openStoredKeys, rootSecret } from '../keys/keys.js'
import { createKeyStore } from '../keys/store.js'
import { createVault } from '../keys/vault.js'
import { rotateEncryptionKey } from './encryption-key.js'
import { rotateKeys } from './rotate-keys.js'
import { createKeyRotationStore } from './store.js'

const USAGE = `Usage: npm run keys:rotate [-- --alg ES256|EdDSA | -- --reencrypt]

  (nothing)     gives every issuer and verifier a new key; former keys stay published and verify what they signed;
                a key of ISSUER_X509, VERIFIER_X509 or VERIFIER_ATTESTATION stays unchanged; credential requests are encrypted for a new key
  --alg         the algorithm of the new keys; by default each new key has the algorithm of the former key
  --reencrypt   moves all values that are encrypted under KEY_ENCRYPTION_KEY_PREVIOUS to KEY_ENCRYPTION_KEY; encrypts
                values that are stored in the clear; makes no new key`

function optionsOf(args: readonly string[]): { anew: boolean; algorithm: SigningAlgorithm | undefined } {
  const [option, value, ...others] = args
  if (option === undefined) return { anew: false, algorithm: undefined }
  if (option === '--reencrypt' && value === undefined) return { anew: true, algorithm: undefined }
  const known = option === '--alg' && (value === 'ES256' || value === 'EdDSA')
  if (!known || others.length > 0) throw new ConfigurationError(USAGE)
  return { anew: false, algorithm: value }
}

/**
 * The command that rotates keys, or encrypts them again, in the database of the service with the given environment.
 *
 * @returns lines that report the result.
 * @throws {ConfigurationError} for an unusable environment or unusable arguments.
 */
export async function keysCommand(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<string[]> {
  const { anew, algorithm } = optionsOf(args)
  const config = readConfig(environment)
  const database = connectDatabase(config.databaseUrl, { max: 2, waitMs: UNHURRIED_MS })
  try {
    const { keyEncryptionKeys } = config
    if (anew && keyEncryptionKeys.length === 0) throw new ConfigurationError('KEY_ENCRYPTION_KEY must be defined.')
    const atRest = createAtRestStore(database)
    const keys = createKeyStore(database)
    const encrypted = await openStoredKeys({ keys, atRest }, keyEncryptionKeys)
    const [current, ...former] = keyEncryptionKeys
    if (anew && current !== undefined) {
      const root = await rootSecret(keys, keyEncryptionKeys)
      const walkStore = createWalkStore(database)
      const count = await reencrypt({ store: atRest, walkStore, keys: [current, ...former], root })
      return [`${encrypted + count} values encrypted anew.`]
    }
    const newId = () => crypto.randomUUID()
    const stores = { keys, keyRotation: createKeyRotationStore(database) }
    const vault = createVault(keyEncryptionKeys)
    const { rotated, kept } = await rotateKeys({
      store: stores.keyRotation,
      vault,
      config,
      newId,
      clock: () => new Date(),
      algorithm,
    })
    const encryption = await rotateEncryptionKey({ vault, newId, ...stores }, new Date())
    return [
      ...rotated.map(
        ({ kind, id, did, uncertified }) =>
          `${kind} ${id} signs with a new key as ${did}${uncertified ? ', which has no certificate yet' : ''}`,
      ),
      ...kept.map(
        ({ kind, id }) => `${kind} ${id} keeps its key, which has a certificate or attestation: replace that first`,
      ),
      ...(encryption
        ? ['credential requests are encrypted for a new key; the former key still decrypts requests for a day']
        : []),
      `${rotated.length} records have a new key.`,
    ]
  } finally {
    await database.close()
  }
}

/** Runs the command: lines on standard output; on failure, exit code 1 with the reason on standard error. */
export async function runKeysCommand(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<void> {
  try {
    process.stdout.write(`${(await keysCommand(args, environment)).join('\n')}\n`)
  } catch (error) {
    const reason = error instanceof ConfigurationError ? error.message : error instanceof Error ? error.stack : error
    process.stderr.write(`${reason}\n`)
    process.exitCode = 1
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await import('dotenv/config')
  await runKeysCommand(process.argv.slice(2), process.env)
}
