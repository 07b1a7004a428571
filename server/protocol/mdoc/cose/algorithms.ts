import { canonicalAlgorithm, type SignatureAlgorithm } from '../../jose/algorithms.js'

type CoseSignatureAlgorithm = Extract<SignatureAlgorithm, 'ES256' | 'ES384' | 'EdDSA'>

/**
 * COSE algorithms by their JOSE names. The first number is from RFC 9053 and is used for signing; the second is the
 * fully specified number (RFC 9864).
 */
const NUMBERS = {
  ES256: [-7, -9],
  ES384: [-35, -51],
  EdDSA: [-8, -19],
} as const satisfies Record<CoseSignatureAlgorithm, readonly number[]>

/**
 * The COSE numbers of an algorithm with this JOSE name, such as `[-7, -9]` for `ES256`, as metadata list them
 * (OpenID4VCI 1.0 Appendix A.2.2, OpenID4VP 1.0 Appendix B.2.2). Empty for an algorithm that mobile documents do not use.
 */
export function coseAlgorithmsOf(name: string): readonly number[] {
  const alg = canonicalAlgorithm(name)
  return alg !== undefined && isCoseAlgorithm(alg) ? NUMBERS[alg] : []
}

const isCoseAlgorithm = (alg: SignatureAlgorithm): alg is CoseSignatureAlgorithm => alg in NUMBERS

/**
 * Whether a list of algorithms in a verifier's metadata contains the `alg` of a COSE header (OpenID4VP 1.0 Appendix
 * B.2.2). The list may contain the number itself, or the fully specified number (RFC 9864) for the same curve. An
 * absent list contains every algorithm.
 */
export function isListedCose(list: unknown, alg: unknown): boolean {
  if (list === undefined || list === null) return true
  const name = algorithmOfCose(alg)
  const [, specified] = name === undefined ? [] : NUMBERS[name]
  return Array.isArray(list) && list.some((one) => one === alg || (specified !== undefined && one === specified))
}

/** The algorithm of an `alg` header; undefined if it is not supported. */
export function algorithmOfCose(number: unknown): CoseSignatureAlgorithm | undefined {
  const names = ['ES256', 'ES384', 'EdDSA'] as const
  return names.find((name) => NUMBERS[name].some((known) => known === number))
}
