import type { Deps } from '../../deps.js'
import { RemoteDids } from '../../dids/remote-dids.js'
import type { DidKeys } from '../../protocol/did/did-document.js'
import { OAuthError } from '../../protocol/oauth/error.js'
import { sha256 } from './access-token.js'
import { NONCE_SECONDS } from './sealed.js'

/**
 * Resolves the DIDs that one credential request names. Before a DID of another host is resolved, the nonces of its
 * proofs are marked as used, even if the request then fails: so one nonce causes at most one fetch. At most four such
 * DIDs are resolved.
 */
export class RequestDids {
  readonly #deps: Pick<Deps, 'resolver' | 'stores'>
  readonly #expiresAt: Date
  readonly #remote = new RemoteDids()
  readonly #used = new Map<string, Promise<boolean>>()

  constructor(deps: Pick<Deps, 'resolver' | 'stores'>, now: Date) {
    this.#deps = deps
    this.#expiresAt = new Date(now.getTime() + NONCE_SECONDS * 1000)
  }

  /**
   * @param nonces those of the proofs that the DID is needed for
   * @throws DidResolutionError, or OAuthError `invalid_nonce` where a nonce has been used before.
   */
  resolve(did: string, nonces: readonly string[]): Promise<DidKeys> {
    return this.#deps.resolver.resolve(did, async (remote) => {
      this.#remote.admit(remote)
      const fresh = await Promise.all(nonces.map((nonce) => this.#use(sha256(nonce))))
      if (fresh.includes(false)) throw new OAuthError('invalid_nonce', 'The nonce of the proof has been used already.')
    })
  }

  /** Of these hashes of nonces, those that are still to be used up when the issuance is recorded. */
  unused(hashes: readonly string[]): string[] {
    return hashes.filter((hash) => !this.#used.has(hash))
  }

  /** Proofs of one request may share a nonce, which is then used up once. */
  #use(hash: string): Promise<boolean> {
    const used = this.#used.get(hash) ?? this.#deps.stores.openid4vci.useNonce(hash, this.#expiresAt)
    this.#used.set(hash, used)
    return used
  }
}
