import type { JsonObject } from '../json/json-object.js'
import type { QueryableFormat } from './dcql/format.js'

/**
 * Algorithms of credentials and of holders' proofs that the verifier checks, by their fully-specified names and, for wallets
 * that know no other, the former name of Ed25519 signatures (RFC 9864).
 */
export const VERIFIED_ALGORITHMS = ['ES256', 'ES384', 'Ed25519', 'EdDSA', 'ES256K', 'RS256', 'PS256'] as const

/** Those of them whose names are fully specified, which are what the standard asks for (OpenID4VP 1.0 Appendix B.3.4). */
export const FULLY_SPECIFIED_ALGORITHMS = VERIFIED_ALGORITHMS.filter((name) => name !== 'EdDSA')

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
