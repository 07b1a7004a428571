import type { NewKey } from '../keys/new-key.js'
import { ENCRYPTION_KEY_SET, type KeyStore } from '../keys/store.js'
import type { Vault } from '../keys/vault.js'
import { publicJwkOf } from '../protocol/jose/jws.js'
import { generateEncryptionKey } from '../protocol/openid4vci/encryption.js'
import type { KeyRotationStore } from './store.js'

interface Making {
  readonly vault: Vault
  readonly newId: () => string
  readonly keys: Pick<KeyStore, 'current'>
  readonly keyRotation: Pick<KeyRotationStore, 'begin' | 'rotate'>
}

/** Makes a key whose id is its `kid`. So a request names the id of its key. */
async function newEncryptionKey({ vault, newId }: Pick<Making, 'vault' | 'newId'>): Promise<NewKey> {
  const id = newId()
  const jwk = generateEncryptionKey(id)
  const privateJwk = await vault.protect({ column: 'keys.private_jwk', id }, JSON.stringify(jwk))
  return { id, alg: 'ECDH-ES', publicJwk: publicJwkOf(jwk), privateJwk, provider: null, reference: null }
}

/**
 * Makes the key to which credential requests are encrypted, unless the key exists. If two calls make a key at once, one
 * key is kept.
 */
export async function ensureEncryptionKey(making: Making): Promise<void> {
  const { keys, keyRotation } = making
  if ((await keys.current(ENCRYPTION_KEY_SET)) !== undefined) return
  await keyRotation.begin(ENCRYPTION_KEY_SET, await newEncryptionKey(making))
}
/**
 * Makes a new key for the encryption of credential requests. The former key still decrypts requests for a day.
 *
 * @returns false if there was no key, or another rotation was faster.
 */
export async function rotateEncryptionKey(making: Making, at: Date): Promise<boolean> {
  const former = await making.keys.current(ENCRYPTION_KEY_SET)
  if (former === undefined) return false
  const key = await newEncryptionKey(making)
  return making.keyRotation.rotate({
    keySetId: ENCRYPTION_KEY_SET,
    formerKeyId: former.id,
    key,
    dids: [],
    records: [],
    at,
    actor: null,
  })
}
