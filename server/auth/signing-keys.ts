import { KeyObject } from 'node:crypto'
import { type CryptoKey, createRemoteJWKSet, type JWSHeaderParameters, errors as jose } from 'jose'
import { errors } from '../api/errors.js'

/** Time for which keys are cached, in milliseconds. The interface promises ten minutes. */
const CACHE_MS = 10 * 60 * 1000
/**
 * Time in which unknown key ids cause at most one request to the identity provider. A limit is needed because anyone
 * can send unknown ids.
 */
const UNKNOWN_KID_MS = 5_000
const TIMEOUT_MS = 5_000
const MIN_RSA_BITS = 2048

/** Algorithms that can sign access tokens, with the key type of each. */
const KEY_TYPES = { RS256: 'RSA', PS256: 'RSA', ES256: 'EC', EdDSA: 'OKP' } as const

export type TokenAlgorithm = keyof typeof KEY_TYPES

export interface SigningKeys {
  /**
   * Finds the key that a token's header names and that fits its algorithm.
   *
   * @throws 401 `Access token signing key was not found.`, or `Access token signing keys are unavailable.` if the JWKS address
   * returns no usable key.
   */
  find(header: JWSHeaderParameters): Promise<KeyObject>
  /**
   * `degraded` if the last fetch means that no token can be checked. This function does not wait for a fetch. Expired
   * keys are fetched in the background, at most once in five seconds.
   */
  check(): Promise<'up' | 'degraded'>
}

/**
 * The identity provider's signing keys (RFC 7517), fetched from its JWKS address and cached for ten minutes. An unknown
 * `kid` causes a new fetch, so that a rotated key is found immediately. Unknown ids cause at most one fetch in five
 * seconds.
 */
export function createSigningKeys(jwksUrl: string, algorithms: readonly TokenAlgorithm[]): SigningKeys {
  const keyTypes: ReadonlySet<string | undefined> = new Set(algorithms.map((algorithm) => KEY_TYPES[algorithm]))
  const jwks = createRemoteJWKSet(new URL(jwksUrl), {
    cacheMaxAge: CACHE_MS,
    // This stops the library from fetching the keys again for unknown ids. Its cooldown would keep a new key unknown
    // for some time after each fetch.
    cooldownDuration: Number.POSITIVE_INFINITY,
    timeoutDuration: TIMEOUT_MS,
  })
  // While a fetch is running, further requests may wait for this fetch.
  const mayRefetch = onceIn(UNKNOWN_KID_MS, () => jwks.reloading)
  const mayCheck = onceIn(UNKNOWN_KID_MS, () => false)
  /** True if the last fetch failed and the cached keys have expired. */
  let failed = false
  const refresh = () =>
    jwks.reload().then(
      () => {
        failed = false
      },
      () => {
        failed = !jwks.fresh
      },
    )

  const find = async (header: JWSHeaderParameters): Promise<CryptoKey> => {
    try {
      return await jwks(header)
    } catch (cause) {
      if (!(cause instanceof jose.JWKSNoMatchingKey) || !mayRefetch()) throw cause
      await jwks.reload()
      return jwks(header)
    }
  }
  const isUsable = () => (jwks.jwks()?.keys ?? []).some(({ kty, use }) => keyTypes.has(kty) && use !== 'enc')

  return {
    async find(header) {
      try {
        const key = keyOf(await find(header))
        failed = false
        return key
      } catch (cause) {
        failed = !jwks.fresh
        const unknown = cause instanceof jose.JWKSNoMatchingKey && isUsable()
        throw unknown ? errors.signingKeyNotFound() : errors.signingKeysUnavailable(cause)
      }
    },
    async check() {
      if (!jwks.fresh && !jwks.reloading && mayCheck()) void refresh()
      return failed || (jwks.fresh && !isUsable()) ? 'degraded' : 'up'
    },
  }
}

/**
 * A cache with one KeyObject for each key of Web Cryptography. With KeyObjects, signatures are verified on this thread.
 */
const keyObjects = new WeakMap<CryptoKey, KeyObject>()

/** @throws for an RSA key of less than 2048 bits (RFC 7518 §3.3) */
function keyOf(key: CryptoKey): KeyObject {
  const known = keyObjects.get(key)
  if (known !== undefined) return known
  const made = KeyObject.from(key)
  const { modulusLength } = made.asymmetricKeyDetails ?? {}
  if (modulusLength !== undefined && modulusLength < MIN_RSA_BITS) throw new Error('The RSA key is too short.')
  keyObjects.set(key, made)
  return made
}

/** Makes a function that returns true at most once in `ms` milliseconds, and also whenever `always` returns true. */
function onceIn(ms: number, always: () => boolean): () => boolean {
  let last = Number.NEGATIVE_INFINITY
  return () => {
    if (always()) return true
    if (performance.now() - last < ms) return false
    last = performance.now()
    return true
  }
}
