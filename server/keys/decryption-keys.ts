import type { Jwk } from '../protocol/jose/jws.js'
import { LruMap } from '../protocol/jose/lru-map.js'
import type { KeyStore } from './store.js'
import type { Vault } from './vault.js'

/** Wallets may use metadata from before a rotation for this long, so their requests stay readable. */
const FORMER_MS = 24 * 60 * 60 * 1000
/** How long a key stays in memory. A replaced key decrypts for much longer. */
const KEPT_MS = 60 * 60 * 1000
const MAX_KEPT = 16

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The private keys for requests that are encrypted to this service. */
export interface DecryptionKeys {
  /** The key with a `kid`; undefined for an unknown key, or a key that was replaced more than a day ago. */
  find(kid: string): Promise<Jwk | undefined>
}

interface Kept {
  readonly privateJwk: Jwk
  readonly retiredAt: Date | null
  readonly readAt: number
}

export function createDecryptionKeys(store: KeyStore, vault: Vault, clock: () => Date): DecryptionKeys {
  const kept = new LruMap<string, Kept>(MAX_KEPT)

  const read = async (id: string, now: number): Promise<Kept | undefined> => {
    const key = await store.decryption(id, new Date(now - FORMER_MS))
    if (key === undefined) return undefined
    const privateJwk = JSON.parse(await vault.reveal({ column: 'keys.private_jwk', id }, key.privateJwk)) as Jwk
    return { privateJwk, retiredAt: key.retiredAt, readAt: now }
  }

  return {
    async find(kid) {
      if (!UUID.test(kid)) return undefined
      const now = clock().getTime()
      const known = kept.get(kid)
      if (known !== undefined && now - known.readAt < KEPT_MS) {
        return known.retiredAt === null || known.retiredAt.getTime() > now - FORMER_MS ? known.privateJwk : undefined
      }
      const found = await read(kid, now)
      // Unknown names are not cached: otherwise invented names would remove real keys from the cache.
      if (found === undefined) kept.delete(kid)
      else kept.set(kid, found)
      return found?.privateJwk
    },
  }
}
