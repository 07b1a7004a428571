import { sha256 } from '../../keys/secret-hash.js'
import { OAuthError } from '../../protocol/oauth/error.js'
import type { Seals } from './sealed.js'
import type { Openid4vciStore } from './store.js'
import type { UsedOnce } from './used-once-store.js'

/** Dependencies of {@link createRequestNonces}. */
export interface RequestNoncesPorts {
  readonly store: Pick<Openid4vciStore, 'useNonce'>
  readonly seals: Pick<Seals, 'nonceExpiresAt'>
}

/** The nonces of one credential request. */
export interface RequestNonces {
  /**
   * Marks nonces as used immediately.
   *
   * @throws OAuthError `invalid_nonce` if a nonce was used before.
   */
  use(nonces: readonly string[]): Promise<void>
  /** The nonces of the list that are not yet marked as used. The issuance marks these nonces. */
  unused(nonces: readonly string[]): UsedOnce[]
}

/**
 * Creates the nonces of one credential request. Each nonce counts once. Most nonces are marked as used when the issuance is
 * stored. If a proof makes this service send a request to another host, the nonce of the proof is marked before that
 * request. The nonce stays marked even if the credential request fails. So one nonce causes at most one request to
 * other hosts.
 */
export const createRequestNonces =
  ({ store, seals }: RequestNoncesPorts) =>
  (): RequestNonces => {
    const used = new Map<string, Promise<boolean>>()

    const once = (nonce: string): UsedOnce => ({ hash: sha256(nonce), expiresAt: seals.nonceExpiresAt(nonce) })

    /** Proofs of one request may share a nonce. A shared nonce is marked as used once. */
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
