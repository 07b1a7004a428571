import { randomBytes } from 'node:crypto'
import { createSigner, type Jwk, type Signer } from '../protocol/jose/jws.js'
import { LruMap } from '../protocol/jose/lru-map.js'
import { SecretError } from '../protocol/jose/sealed.js'
import { encryptOnce, namingTheKey, ROOT } from './at-rest/reencrypt.js'
import type { AtRestStore } from './at-rest/store.js'
import type { KeyStore } from './store.js'
import { createVault, type Vault } from './vault.js'

/** Limit of imported signers in memory; beyond this limit a private key is imported again. */
const MAX_SIGNERS = 2_000

export interface Keys {
  /** The signer of a stored key under an absolute key id (a DID URL). The key is imported once and kept. */
  signer(keyId: string, kid: string): Promise<Signer>
  /** The private JWK, for a hosted wallet's own protocol client. */
  privateJwk(keyId: string): Promise<Jwk>
}

export function createKeys(store: KeyStore, vault: Vault): Keys {
  const signers = new LruMap<string, Promise<Signer>>(MAX_SIGNERS)

  const privateJwkOf = async (keyId: string): Promise<Jwk> => {
    const key = await store.find(keyId)
    if (key === undefined) throw new Error(`Key ${keyId} does not exist.`)
    return JSON.parse(await vault.reveal({ column: 'keys.private_jwk', id: key.id }, key.privateJwk)) as Jwk
  }

  const importSigner = async (keyId: string, kid: string): Promise<Signer> =>
    createSigner(await privateJwkOf(keyId), kid)

  return {
    privateJwk: privateJwkOf,
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
 * @throws if KEY_ENCRYPTION_KEY does not decrypt it.
 */
export async function rootSecret(store: KeyStore, vault: Vault): Promise<Uint8Array> {
  const stored = await store.secret(ROOT.id, () => vault.protect(ROOT, randomBytes(32).toString('base64url')))
  return new Uint8Array(Buffer.from(await vault.reveal(ROOT, stored), 'base64url'))
}

/**
 * Rethrows an error unless it is about a single altered value. Such a value does not prevent the start; it is refused
 * when it is used.
 */
function ifKeyIsMissing(cause: unknown): void {
  if (!(cause instanceof SecretError) || cause.keyIsMissing) throw cause
}

/**
 * Checks that every stored key can be decrypted, under each key-encryption key in use. Before this check, values in the
 * clear and values of an earlier version are encrypted for their rows.
 *
 * @returns the number of encrypted values.
 * @throws {ConfigurationError} if KEY_ENCRYPTION_KEY does not decrypt values of an earlier start.
 */
export async function openStoredKeys(
  { keys: store, atRest }: { keys: KeyStore; atRest: AtRestStore },
  keyEncryptionKeys: readonly Uint8Array[],
): Promise<number> {
  const encrypted = await encryptOnce(atRest, keyEncryptionKeys)
  const vault = createVault(keyEncryptionKeys)
  await namingTheKey(async () => {
    await rootSecret(store, vault)
    for (const { id, privateJwk } of await store.sampleOfEachEncryption()) {
      await vault.reveal({ column: 'keys.private_jwk', id }, privateJwk).catch(ifKeyIsMissing)
    }
  })
  return encrypted
}
