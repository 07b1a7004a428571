import { KEY_ATTESTATION_TYPE } from '../../../protocol/openid4vci/key-attestation.js'

/**
 * `typ` of key attestations: that of 1.0 (Appendix D.1), and of the drafts, which is taken under every profile, since the
 * library that wallets are commonly made with (`@openid4vc/openid4vci` 0.4.6) writes it in 1.0 too. They differ in the name alone.
 */
export const KEY_ATTESTATION_TYPES = [KEY_ATTESTATION_TYPE, 'keyattestation+jwt'] as const
