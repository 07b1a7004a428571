import { canonicalAlgorithm } from '../jose/algorithms.js'
import type { JsonObject } from '../json/json-object.js'
import type { QueryableFormat } from './dcql/format.js'

/**
 * Algorithms of credentials and of holders' proofs that the verifier checks, by their fully-specified names. Some
 * wallets know only the former name of Ed25519 signatures, `EdDSA` (RFC 9864). So the list contains this name too.
 */
export const VERIFIED_ALGORITHMS = ['ES256', 'ES384', 'Ed25519', 'EdDSA', 'ES256K', 'RS256', 'PS256'] as const

/** The algorithms with fully-specified names, which the standard requires (OpenID4VP 1.0 Appendix B.3.4). */
export const FULLY_SPECIFIED_ALGORITHMS = VERIFIED_ALGORITHMS.filter((name) => name !== 'EdDSA')

/**
 * Whether a list of algorithms in the metadata of a wallet or verifier contains the `alg` of a JOSE header (OpenID4VP
 * 1.0 Appendix B.1.3, B.3.4). An absent list contains every algorithm. The two names of Ed25519 signatures (RFC 9864)
 * count as the same name.
 */
export function isListed(list: unknown, alg: unknown): boolean {
  if (list === undefined || list === null) return true
  const known = canonicalAlgorithm(alg)
  return (
    Array.isArray(list) && list.some((one) => one === alg || (known !== undefined && canonicalAlgorithm(one) === known))
  )
}

/** `vp_formats_supported` (OpenID4VP 1.0 §10.1, §11.1). */
export function vpFormatsSupported(
  formats: readonly QueryableFormat[],
  algorithms: readonly string[],
  holderAlgorithms: readonly string[],
): JsonObject {
  return Object.fromEntries(
    formats.map(({ name, querying }) => [name, querying.vpFormat(algorithms, holderAlgorithms)]),
  )
}
