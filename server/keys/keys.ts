import { canonicalAlgorithm } from '../protocol/jose/algorithms.js'
import { createSigner, type Jwk, type Signer } from '../protocol/jose/jws.js'
import { LruMap } from '../protocol/jose/lru-map.js'
import { SecretError } from '../protocol/jose/sealed.js'
import { beginEncryption, namingTheKey, newRootText } from './at-rest/begin.js'
import { parseRoot, ROOT, type Root } from './at-rest/root.js'
import type { AtRestStore } from './at-rest/store.js'
import type { KeyProviders } from './providers/providers.js'
import type { KeyStore, StoredKey } from './store.js'
import { createVault, openStored, type Vault } from './vault.js'

/** Limit of imported signers in memory; beyond this limit a private key is imported again. */
const MAX_SIGNERS = 2_000

export interface Keys {
  /**
   * The signer of a stored key under an absolute key id (a DID URL). The key is imported once and kept. A key in a key
   * provider signs there; `sign` then throws 503 if the provider is away.
   */
  signer(keyId: string, kid: string): Promise<Signer>
  /** The private JWK, for a hosted wallet's own protocol client. */
  privateJwk(keyId: string): Promise<Jwk>
}

/** The signer of a key in a key provider. */
function signerThere(key: StoredKey, kid: string, providers: Pick<KeyProviders, 'sign'>): Signer | undefined {
  const { provider, reference, publicJwk } = key
  const alg = canonicalAlgorithm(key.alg)
  if (provider === null || reference === null || alg === undefined) return undefined
  return { alg, kid, publicJwk, sign: (data) => providers.sign({ provider, reference, publicJwk, alg }, data) }
}

export function createKeys(store: KeyStore, vault: Vault, providers: Pick<KeyProviders, 'sign'>): Keys {
  const signers = new LruMap<string, Promise<Signer>>(MAX_SIGNERS)

  const keyOf = async (keyId: string): Promise<StoredKey> => {
    const key = await store.find(keyId)
    if (key === undefined) throw new Error(`Key ${keyId} does not exist.`)
    return key
  }

  const revealed = async (key: StoredKey): Promise<Jwk> => {
    if (key.privateJwk === null) throw new Error(`Key ${key.id} is not in the database.`)
    return JSON.parse(await vault.reveal({ column: 'keys.private_jwk', id: key.id }, key.privateJwk)) as Jwk
  }

  const importSigner = async (keyId: string, kid: string): Promise<Signer> => {
    const key = await keyOf(keyId)
    return signerThere(key, kid, providers) ?? createSigner(await revealed(key), kid)
  }

  return {
    privateJwk: async (keyId) => revealed(await keyOf(keyId)),
    signer(keyId, kid) {
      const name = `${keyId} ${kid}`
      const known = signers.get(name)
      if (known !== undefined) return known
      const imported = importSigner(keyId, kid)
      // A failed import must not stay in the cache: the next request tries again.
      imported.catch(() => signers.delete(name))
      signers.set(name, imported)
      return imported
    },
  }
}

/**
 * The random secret (32 bytes) from which every sealing key derives. It is made on the first start, and stored like private keys.
 *
 * @param keyEncryptionKeys the keys of the vault
 * @throws SecretError if KEY_ENCRYPTION_KEY does not decrypt it.
 */
export async function rootSecret(
  store: Pick<KeyStore, 'secret'>,
  keyEncryptionKeys: readonly Uint8Array[],
): Promise<Root> {
  const vault = createVault(keyEncryptionKeys)
  const stored = await store.secret(ROOT.id, () => vault.protect(ROOT, newRootText(keyEncryptionKeys)))
  return parseRoot(await vault.reveal(ROOT, stored))
}

/**
 * Rethrows an error unless it is about a single altered value. Such a value does not prevent the start; it is refused
 * when it is used.
 */
function ifKeyIsMissing(cause: unknown): void {
  if (!(cause instanceof SecretError) || cause.keyIsMissing) throw cause
}

/**
 * Checks that every stored key can be decrypted, under each key-encryption key in use. Keys and secrets from the time before a
 * key-encryption key are encrypted for their rows. The maintenance job encrypts everything else (`maintenance/encryption/task.ts`).
 *
 * @returns the number of encrypted values.
 * @throws {ConfigurationError} if KEY_ENCRYPTION_KEY does not decrypt values of an earlier start.
 */
export async function openStoredKeys(
  { keys: store, atRest }: { keys: KeyStore; atRest: AtRestStore },
  keyEncryptionKeys: readonly Uint8Array[],
): Promise<number> {
  const vault = createVault(keyEncryptionKeys)
  await namingTheKey(async () => {
    const root = await atRest.secret(ROOT.id)
    if (root !== undefined) await openStored(keyEncryptionKeys, ROOT, root)
    for (const { id, privateJwk } of await store.sampleOfEachEncryption()) {
      await vault.reveal({ column: 'keys.private_jwk', id }, privateJwk).catch(ifKeyIsMissing)
    }
  })
  const encrypted = await beginEncryption(atRest, keyEncryptionKeys)
  await namingTheKey(() => rootSecret(store, keyEncryptionKeys))
  return encrypted
}
