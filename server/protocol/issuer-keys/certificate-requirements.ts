import type { X509Certificate } from 'node:crypto'
import { algorithmOfJwk } from '../jose/algorithms.js'
import type { Jwk } from '../jose/jwk.js'
import { type CertificateProfile, certificateProfile } from './certificate-profile.js'
import { allowsPurpose, type CertificatePurpose } from './certificate-purpose.js'
import { IssuerKeyError } from './issuer-key-error.js'

/**
 * Checks the certificate of a signer that is trusted itself, without an authority above it: its validity at `now`, its
 * key usage and its purpose. It must not be the certificate of an authority. Returns the signer's key. Throws
 * IssuerKeyError.
 */
export function verifyTrustedSigner(
  certificate: X509Certificate,
  { now, purpose }: { now: Date; purpose: CertificatePurpose },
): Jwk {
  requireValid(certificate, now)
  requireProfile(certificate, { position: 0, isAnchor: true, purpose })
  return keyOf(certificate)
}

/** Refuses a certificate that is not valid at `now`. Throws IssuerKeyError. */
export function requireValid(certificate: X509Certificate, now: Date): void {
  // RFC 5280 §6.1.3 (a)(2). A date that does not parse gives NaN, which is neither before nor after anything.
  const valid = Date.parse(certificate.validFrom) <= now.getTime() && now.getTime() <= Date.parse(certificate.validTo)
  if (!valid) throw new IssuerKeyError('A certificate of the chain has expired or is not yet valid.')
}

/**
 * Checks a certificate at its position; the signer's certificate has position 0. So `position - 1` CA certificates are
 * between this certificate and the signer's.
 */
export function requireProfile(
  certificate: X509Certificate,
  { position, isAnchor, purpose }: { position: number; isAnchor: boolean; purpose: CertificatePurpose },
): void {
  const profile = readProfile(certificate)
  // RFC 5280 §6.1.4 (o) and §6.1.5 (f).
  if (profile.unsupportedExtension) {
    throw new IssuerKeyError('A certificate of the chain has an extension that is not supported.')
  }
  if (!isAnchor && !profile.allowedSignature) {
    throw new IssuerKeyError('A certificate of the chain is signed with an algorithm that is not allowed.')
  }
  // The purposes of an authority limit the purposes of certificates that it issues, as in browsers and OpenSSL.
  if (!allowsPurpose(profile.purposes, purpose)) {
    throw new IssuerKeyError('A certificate of the chain is meant for another purpose.')
  }
  if (position === 0) requireSigner(certificate, profile, purpose)
  else requireAuthority(certificate, profile, position - 1)
}

function requireSigner(certificate: X509Certificate, profile: CertificateProfile, purpose: CertificatePurpose): void {
  if (certificate.ca) throw new IssuerKeyError('The certificate of the signer is that of a certification authority.')
  // TS 119 612 §5.7.1: the certificate of a list's signer may be for nonRepudiation only.
  const maySign = profile.maySign || (purpose === 'list' && profile.mayCommit)
  if (!maySign) throw new IssuerKeyError('The certificate of the signer is not meant for signatures.')
}

function requireAuthority(certificate: X509Certificate, profile: CertificateProfile, authoritiesBelow: number): void {
  // RFC 5280 §6.1.4 (k) and (m).
  if (!certificate.ca) {
    throw new IssuerKeyError(
      'A certificate of the chain was issued by a certificate that is no certification authority.',
    )
  }
  if (profile.pathLength !== undefined && authoritiesBelow > profile.pathLength) {
    throw new IssuerKeyError('The certificate chain is longer than its certification authority allows.')
  }
}

function readProfile(certificate: X509Certificate): CertificateProfile {
  try {
    return certificateProfile(certificate)
  } catch (cause) {
    throw new IssuerKeyError('A certificate of the chain is malformed.', { cause })
  }
}

/** The public key of a signer's certificate. Throws IssuerKeyError for a key of no supported type. */
export function keyOf(leaf: X509Certificate): Jwk {
  const jwk = exportKey(leaf)
  if (jwk !== undefined && algorithmOfJwk(jwk) !== undefined) return jwk
  throw new IssuerKeyError('The key of the x5c signer certificate is of no supported type.')
}

function exportKey(leaf: X509Certificate): Jwk | undefined {
  try {
    return leaf.publicKey.export({ format: 'jwk' })
  } catch {
    // The curve has no JWK form.
    return undefined
  }
}
