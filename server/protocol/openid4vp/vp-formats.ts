/**
 * Algorithms of credentials and of holders' proofs, by their fully-specified names and, for wallets that know no other,
 * the former name of Ed25519 signatures (RFC 9864).
 */
const ALGORITHMS = ['ES256', 'ES384', 'Ed25519', 'EdDSA', 'ES256K', 'RS256', 'PS256'] as const

/** `vp_formats_supported` (OpenID4VP 1.0 §11.1, Appendix B.1.3.1.3, B.3.4). */
export const VP_FORMATS_SUPPORTED = {
  'dc+sd-jwt': { 'sd-jwt_alg_values': ALGORITHMS, 'kb-jwt_alg_values': ALGORITHMS },
  jwt_vc_json: { alg_values: ALGORITHMS },
} as const
