import { type Extension, readExtensions } from './certificate-profile.js'
import { type DerElement, derElements, derMembers } from './der.js'

const TAG_VERSION = 0xa0

/** The names, the key and the extensions of a certificate in DER, as it has them (RFC 5280 §4.1). */
export interface CertificateParts {
  readonly issuer: DerElement | undefined
  readonly subject: DerElement | undefined
  /** `subjectPublicKeyInfo`. */
  readonly publicKey: DerElement | undefined
  readonly extensions: readonly Extension[]
}

/**
 * Reads the parts of a certificate without a full parser. A missing part is undefined.
 *
 * @throws RangeError if the octets are not DER
 */
export function certificateParts(der: Uint8Array): CertificateParts {
  const [tbsCertificate] = derMembers(der)
  const members = tbsCertificate === undefined ? [] : derElements(tbsCertificate.content)
  // version is optional, then come serialNumber, signature, issuer, validity, subject, subjectPublicKeyInfo.
  const [, , issuer, , subject, publicKey] = members[0]?.tag === TAG_VERSION ? members.slice(1) : members
  return { issuer, subject, publicKey, extensions: readExtensions(tbsCertificate) }
}
