import { pathToFileURL } from 'node:url'
import { certificateRequestOf } from '../agent/certificate-request.js'
import { type AgentStore, createAgentStore, type Signing } from '../agent/store.js'
import { ServiceError } from '../api/errors.js'
import { type Config, ConfigurationError, encrypts, readConfig } from '../config/config.js'
import { connectDatabase, UNHURRIED_MS } from '../database/connect.js'
import { withStartLock } from '../database/start-lock.js'
import { keyIdOf, type SigningAlgorithm } from '../dids/identity.js'
import { reencrypt } from '../keys/at-rest/reencrypt.js'
import { createAtRestStore } from '../keys/at-rest/store.js'
import { createWalkStore } from '../keys/at-rest/walk-store.js'
import { ACTIVE_AFTER_SECONDS, rotateEnvelopeKey } from '../keys/envelope/rotate.js'
import { createEnvelopeStore } from '../keys/envelope/store.js'
import { createKeys, type Keys, rootSecret } from '../keys/keys.js'
import { openKeys } from '../keys/open-keys.js'
import { createKeyProviders, DATABASE, type KeyProviders } from '../keys/providers/providers.js'
import { createKeyStore, type KeyStore } from '../keys/store.js'
import { createVault } from '../keys/vault.js'
import { rotateEncryptionKey } from './encryption-key.js'
import { newKeyOf, reasonToKeep, rotateKeys } from './rotate-keys.js'
import { createKeyRotationStore, type SigningRecord } from './store.js'

const USAGE = `Usage: npm run keys:rotate [-- [--alg ES256|EdDSA] [--provider NAME] | -- --reencrypt | -- --encryption-key | -- --certificate-request [every|delegated]]

  (nothing)     gives every issuer and verifier a new key; former keys stay published and verify what they signed;
                a key of ISSUER_X509, VERIFIER_X509 or VERIFIER_ATTESTATION stays unchanged; credential requests are encrypted for a new key
  --alg         the algorithm of the new keys; by default each new key has the algorithm of the former key
  --provider    the key provider that makes and keeps the new keys: a name of KEY_PROVIDERS, or database; by default each
                new key stays where the former key is
  --reencrypt   moves all values that are encrypted under KEY_ENCRYPTION_KEY_PREVIOUS to KEY_ENCRYPTION_KEY; encrypts
                values that are stored in the clear; makes no new key
  --encryption-key
                makes a new key-encryption key, which the key of KEY_ENCRYPTION_PROVIDER wraps
  --certificate-request
                prints a certificate request (PKCS#10) for the key of the default issuer; makes no new key; delegated asks
                for the certificate of an authority, every for a signer; by default what the issuer does now`

interface Options {
  readonly anew: boolean
  /** A certificate request for this kind of signing. `present`: as the issuer signs now. */
  readonly request?: Signing | 'present'
  readonly envelope?: boolean
  readonly algorithm?: SigningAlgorithm
  readonly provider?: string
}

function optionsOf(args: readonly string[]): Options {
  if (args[0] === '--reencrypt' && args.length === 1) return { anew: true }
  if (args[0] === '--encryption-key' && args.length === 1) return { anew: false, envelope: true }
  if (args[0] === '--certificate-request' && args.length === 1) return { anew: false, request: 'present' }
  if (args[0] === '--certificate-request' && args.length === 2 && (args[1] === 'every' || args[1] === 'delegated'))
    return { anew: false, request: args[1] }
  let options: Options = { anew: false }
  for (let at = 0; at < args.length; at += 2) {
    const [option, value] = args.slice(at)
    if (option === '--alg' && (value === 'ES256' || value === 'EdDSA') && options.algorithm === undefined)
      options = { ...options, algorithm: value }
    else if (option === '--provider' && value !== undefined && options.provider === undefined)
      options = { ...options, provider: value }
    else throw new ConfigurationError(USAGE)
  }
  return options
}

/** @throws {ConfigurationError} for a provider that is not configured, cannot be used, or does not have the algorithm. */
async function assertProvider(providers: KeyProviders, { provider, algorithm }: Options): Promise<void> {
  if (provider !== undefined && provider !== DATABASE && !providers.names.includes(provider))
    throw new ConfigurationError(`KEY_PROVIDERS has no provider ${provider}.`)
  await providers.start()
  if (provider === undefined || provider === DATABASE || algorithm === undefined) return
  const algorithms = await providers.algorithms(provider)
  if (!algorithms.includes(algorithm))
    throw new ConfigurationError(
      `The key provider ${provider} has no keys for ${algorithm}, only for ${algorithms.join(', ')}.`,
    )
}

/**
 * Checks that each record can get its new key, before the first record gets one.
 *
 * @throws {ConfigurationError} that names the record whose algorithm its key provider does not have.
 */
async function assertAlgorithms(
  records: readonly SigningRecord[],
  providers: Pick<KeyProviders, 'algorithms'>,
  config: Config,
  options: Options,
): Promise<void> {
  for (const record of records) {
    const { provider, algorithm } = newKeyOf(record, options)
    if (provider === DATABASE || reasonToKeep(record, config) !== undefined) continue
    const algorithms = await providers.algorithms(provider)
    if (algorithms.includes(algorithm)) continue
    const known = algorithms.filter((alg) => alg === 'ES256' || alg === 'EdDSA').join(' or ')
    throw new ConfigurationError(
      `The key of ${record.kind} ${record.id} is for ${algorithm}, and the key provider ${provider} has no keys for it. No record has a new key. Name --alg ${known}.`,
    )
  }
}

/**
 * A certificate request for the key with which the default issuer signs. For a key in a key provider, the line for the file of ISSUER_X509
 * comes first.
 */
async function issuerRequest(
  agents: Pick<AgentStore, 'defaultIssuer'>,
  store: Pick<KeyStore, 'current'>,
  keys: Pick<Keys, 'signer'>,
  { issuerBaseUrl }: Pick<Config, 'issuerBaseUrl'>,
  wanted: Signing | 'present',
): Promise<string[]> {
  const record = await agents.defaultIssuer()
  const key = record === undefined ? undefined : await store.current(record.keySetId)
  if (record === undefined || key === undefined)
    throw new ConfigurationError('There is no default issuer yet. Start the service first.')
  const signer = await keys.signer(key.id, keyIdOf(record.did, key.publicJwk))
  const authority = (wanted === 'present' ? record.signing : wanted) === 'delegated'
  const request = (await certificateRequestOf(record, key, signer, issuerBaseUrl, { authority })).trim()
  return key.provider === null ? [request] : [`key: ${key.provider}:${key.reference}`, request]
}

/**
 * The command that rotates keys, or encrypts them again, in the database of the service with the given environment.
 *
 * @returns lines that report the result.
 * @throws {ConfigurationError} for an unusable environment or unusable arguments.
 */
export async function keysCommand(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<string[]> {
  const options = optionsOf(args)
  const { anew, algorithm, provider } = options
  const config = readConfig(environment)
  const database = connectDatabase(config.databaseUrl, { max: 2, waitMs: UNHURRIED_MS })
  const providers = createKeyProviders({ config, clock: () => new Date() })
  try {
    if (anew && !encrypts(config))
      throw new ConfigurationError('KEY_ENCRYPTION_KEY or KEY_ENCRYPTION_PROVIDER must be defined.')
    const atRest = createAtRestStore(database)
    const keys = createKeyStore(database)
    const opening = { config, database, providers, log: { info: () => {}, warn: () => {} } }
    if (options.envelope) {
      return await withStartLock(config.directDatabaseUrl, async () => {
        await openKeys(opening)
        const id = await rotateEnvelopeKey(config, createEnvelopeStore(database), atRest, providers)
        return [
          `The key-encryption key ${id} is stored. It encrypts in ${ACTIVE_AFTER_SECONDS} seconds.`,
          'Running processes change to it by themselves, and then encrypt the stored values anew.',
        ]
      })
    }
    const { keys: keyEncryptionKeys, encrypted } = await (config.wrapping.current === undefined
      ? openKeys(opening)
      : withStartLock(config.directDatabaseUrl, () => openKeys(opening)))
    if (anew) {
      const root = await rootSecret(keys, keyEncryptionKeys)
      const walkStore = createWalkStore(database)
      const count = await reencrypt({ store: atRest, walkStore, keys: keyEncryptionKeys, root })
      return [`${encrypted + count} values encrypted anew.`]
    }
    await assertProvider(providers, options)
    const newId = () => crypto.randomUUID()
    const stores = { keys, keyRotation: createKeyRotationStore(database) }
    const vault = createVault(keyEncryptionKeys)
    if (options.request !== undefined) {
      const signers = createKeys(keys, vault, providers)
      return await issuerRequest(createAgentStore(database), keys, signers, config, options.request)
    }
    await assertAlgorithms(await stores.keyRotation.signingRecords(), providers, config, options)
    const { rotated, kept } = await rotateKeys({
      store: stores.keyRotation,
      vault,
      providers,
      provider,
      config,
      newId,
      clock: () => new Date(),
      algorithm,
      actor: null,
    }).catch((error: unknown) => {
      if (!(error instanceof ServiceError && error.cause instanceof Error)) throw error
      throw new ConfigurationError(`A key could not be made: ${error.cause.message}`)
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
    await providers.close()
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
