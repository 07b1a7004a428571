import type { Signing } from '../../queries/trust.js'

/** The values of the form for a certificate. */
export interface CertifyForm {
  /** PEM, the certificate of the key first. */
  chain: string
  /** The documents that the key of an issuer signs with the certificate. */
  signing: Signing
}
