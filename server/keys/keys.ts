import { randomBytes } from 'node:crypto'
import { ConfigurationError } from '../config.js'
import { createSigner, type Jwk, type Signer } from '../protocol/jose/jws.js'
import { LruMap } from '../protocol/jose/lru-map.js'
import { SecretError } from '../protocol/jose/sealed.js'
import { type KeyStore, PROTECTED_COLUMNS } from './store.js'
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
  const signers = new LruMap<string, Promise<Signer>>(MAX_SIGNERS)

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
 * Makes sure that every stored key can be used, whichever key-encryption key it is under.
 *
 * @throws {ConfigurationError} where KEY_ENCRYPTION_KEY does not open what an earlier start stored.
 */
export async function assertKeysOpen(store: KeyStore, vault: Vault): Promise<void> {
  try {
    await rootSecret(store, vault)
    for (const stored of await store.sampleOfEachEncryption()) await vault.reveal(stored)
  } catch (cause) {
    if (!(cause instanceof SecretError)) throw cause
    throw new ConfigurationError('KEY_ENCRYPTION_KEY does not decrypt the stored keys.')
  }
}

const BATCH = 500

/**
 * Encrypts everything that is protected under the current key-encryption key, whatever it was under before. Whoever
 * writes meanwhile wins; it can be run again at any time.
 *
 * @returns how many values were changed.
 */
export async function reencrypt(store: KeyStore, vault: Vault): Promise<number> {
  let changed = 0
  for (const column of PROTECTED_COLUMNS) {
    let after = ''
    for (;;) {
      const values = await store.protectedValues(column, after, BATCH)
      for (const { id, stored } of values) {
        if (!(await vault.isOutdated(stored))) continue
        if (await store.replaceProtected(column, id, stored, await vault.protect(await vault.reveal(stored))))
          changed += 1
      }
      const last = values.at(-1)
      if (last === undefined || values.length < BATCH) break
      after = last.id
    }
  }
  return changed
}
