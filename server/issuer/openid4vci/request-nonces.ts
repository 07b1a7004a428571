import { sha256 } from '../../keys/secret-hash.js'
import { OAuthError } from '../../protocol/oauth/error.js'
import type { Seals } from './sealed.js'
import type { Openid4vciStore } from './store.js'
import type { UsedOnce } from './used-once-store.js'

/** What {@link createRequestNonces} is made of. */
export interface RequestNoncesPorts {
  readonly store: Pick<Openid4vciStore, 'useNonce'>
  readonly seals: Pick<Seals, 'nonceExpiresAt'>
}

/** The nonces of one credential request. */
export interface RequestNonces {
  /**
   * Uses nonces up at once.
   *
   * @throws OAuthError `invalid_nonce` where one has been used before.
   */
  use(nonces: readonly string[]): Promise<void>
  /** Those of these nonces that are still to be used up when the issuance is recorded. */
  unused(nonces: readonly string[]): UsedOnce[]
}

/**
 * Makes the nonces of one credential request. Each nonce counts once. Most nonces are used up when the issuance is recorded. Some
 * proofs make this service ask another host: their nonces are used up before, even if the request then fails. One nonce so causes
 * at most one such question.
 */
export const createRequestNonces =
  ({ store, seals }: RequestNoncesPorts) =>
  (): RequestNonces => {
    const used = new Map<string, Promise<boolean>>()

    const once = (nonce: string): UsedOnce => ({ hash: sha256(nonce), expiresAt: seals.nonceExpiresAt(nonce) })

    /** Proofs of one request may share a nonce, which is then used up once. */
    const useOne = (nonce: UsedOnce): Promise<boolean> => {
      const fresh = used.get(nonce.hash) ?? store.useNonce(nonce)
      used.set(nonce.hash, fresh)
      return fresh
    }

    return {
      async use(nonces) {
        const fresh = await Promise.all(nonces.map((nonce) => useOne(once(nonce))))
        if (fresh.includes(false))
          throw new OAuthError('invalid_nonce', 'The nonce of the proof has been used already.')
      },
      unused: (nonces) => [...new Set(nonces)].map(once).filter(({ hash }) => !used.has(hash)),
    }
  }
