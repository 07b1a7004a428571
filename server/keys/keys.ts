import { randomBytes } from 'node:crypto'
import { ConfigurationError } from '../config.js'
import { createSigner, type Jwk, type Signer } from '../protocol/jose/jws.js'
import { SecretError } from '../protocol/jose/sealed.js'
import type { KeyStore, StoredKey } from './store.js'
import type { Vault } from './vault.js'

const ROOT_SECRET = 'root'
/** Imported signers kept at once; a private key is imported anew beyond it. */
const MAX_SIGNERS = 2_000

export interface Keys {
  /** The signer of a stored key under an absolute key id (a DID URL). Imported once and kept. */
  signer(keyId: string, kid: string): Promise<Signer>
  /** The private JWK, for a hosted wallet's own protocol client. */
  privateJwk(keyId: string): Promise<Jwk>
}

export function createKeys(store: KeyStore, vault: Vault): Keys {
  const signers = new Map<string, Promise<Signer>>()

  const privateJwkOf = async (keyId: string): Promise<Jwk> => {
    const key = await store.find(keyId)
    if (key === undefined) throw new Error(`Key ${keyId} does not exist.`)
    return JSON.parse(await vault.reveal(key.privateJwk)) as Jwk
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
      // A failed import must not stay: the next request tries again.
      imported.catch(() => signers.delete(name))
      const [oldest] = signers.keys()
      if (signers.size >= MAX_SIGNERS && oldest !== undefined) signers.delete(oldest)
      signers.set(name, imported)
      return imported
    },
  }
}

/**
 * The random secret (32 bytes) from which every sealing key derives. Made on first start, kept as private keys are.
 *
 * @throws where KEY_ENCRYPTION_KEY does not open it.
 */
export async function rootSecret(store: KeyStore, vault: Vault): Promise<Uint8Array> {
  const stored = await store.secret(ROOT_SECRET, () => vault.protect(randomBytes(32).toString('base64url')))
  return new Uint8Array(Buffer.from(await vault.reveal(stored), 'base64url'))
}

/**
 * @throws {ConfigurationError} where KEY_ENCRYPTION_KEY does not open what an earlier start stored.
 */
export async function assertKeysOpen(store: KeyStore, vault: Vault): Promise<void> {
  try {
    await rootSecret(store, vault)
  } catch (cause) {
    if (!(cause instanceof SecretError)) throw cause
    throw new ConfigurationError('KEY_ENCRYPTION_KEY does not decrypt the stored keys.')
  }
}

/**
 * Encrypts every private key and secret under the current key-encryption key, whatever it was under before.
 *
 * @returns how many were changed.
 */
export async function reencrypt(store: KeyStore, vault: Vault): Promise<number> {
  let changed = 0
  for (const [table, id, stored] of await store.allProtected()) {
    if (!(await vault.isOutdated(stored))) continue
    await store.replaceProtected(table, id, stored, await vault.protect(await vault.reveal(stored)))
    changed += 1
  }
  return changed
}

export type { StoredKey }
