import type { Deps } from '../../deps.js'
import { sha256 } from '../../keys/secret-hash.js'
import { OAuthError } from '../../protocol/oauth/error.js'
import type { UsedOnce } from './used-once-store.js'

/**
 * The nonces of one credential request. Each counts once. Most are used up when the issuance is recorded; those of proofs that make
 * this service ask another host are used up before, even if the request then fails, so that one nonce causes at most one
 * such request.
 */
export class RequestNonces {
  readonly #deps: Pick<Deps, 'seals' | 'stores'>
  readonly #used = new Map<string, Promise<boolean>>()

  constructor(deps: Pick<Deps, 'seals' | 'stores'>) {
    this.#deps = deps
  }

  /**
   * Uses nonces up at once.
   *
   * @throws OAuthError `invalid_nonce` where one has been used before.
   */
  async use(nonces: readonly string[]): Promise<void> {
    const fresh = await Promise.all(nonces.map((nonce) => this.#use(this.#once(nonce))))
    if (fresh.includes(false)) throw new OAuthError('invalid_nonce', 'The nonce of the proof has been used already.')
  }

  /** Those of these nonces that are still to be used up when the issuance is recorded. */
  unused(nonces: readonly string[]): UsedOnce[] {
    return [...new Set(nonces)].map((nonce) => this.#once(nonce)).filter(({ hash }) => !this.#used.has(hash))
  }

  #once(nonce: string): UsedOnce {
    return { hash: sha256(nonce), expiresAt: this.#deps.seals.nonceExpiresAt(nonce) }
  }

  /** Proofs of one request may share a nonce, which is then used up once. */
  #use(nonce: UsedOnce): Promise<boolean> {
    const used = this.#used.get(nonce.hash) ?? this.#deps.stores.openid4vci.useNonce(nonce)
    this.#used.set(nonce.hash, used)
    return used
  }
}
