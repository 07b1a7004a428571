import type { Deps } from '../../deps.js'
import { OAuthError } from '../../protocol/oauth/error.js'
import { sha256 } from './access-token.js'
import { NONCE_SECONDS } from './sealed.js'

/**
 * The nonces of one credential request. Each counts once. Most are used up when the issuance is recorded; those of proofs that make
 * this service ask another host are used up before, even if the request then fails, so that one nonce causes at most one
 * such request.
 */
export class RequestNonces {
  readonly #deps: Pick<Deps, 'stores'>
  readonly #expiresAt: Date
  readonly #used = new Map<string, Promise<boolean>>()

  constructor(deps: Pick<Deps, 'stores'>, now: Date) {
    this.#deps = deps
    this.#expiresAt = new Date(now.getTime() + NONCE_SECONDS * 1000)
  }

  /**
   * Uses nonces up at once.
   *
   * @throws OAuthError `invalid_nonce` where one has been used before.
   */
  async use(nonces: readonly string[]): Promise<void> {
    const fresh = await Promise.all(nonces.map((nonce) => this.#use(sha256(nonce))))
    if (fresh.includes(false)) throw new OAuthError('invalid_nonce', 'The nonce of the proof has been used already.')
  }

  /** The hashes of those of these nonces that are still to be used up when the issuance is recorded. */
  unused(nonces: readonly string[]): string[] {
    return [...new Set(nonces.map(sha256))].filter((hash) => !this.#used.has(hash))
  }

  /** Proofs of one request may share a nonce, which is then used up once. */
  #use(hash: string): Promise<boolean> {
    const used = this.#used.get(hash) ?? this.#deps.stores.openid4vci.useNonce(hash, this.#expiresAt)
    this.#used.set(hash, used)
    return used
  }
}
