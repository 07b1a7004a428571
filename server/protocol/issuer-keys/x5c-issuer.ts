import { hash, type X509Certificate } from 'node:crypto'
import type { Jwk } from '../jose/jwk.js'
import { keyOf } from './certificate-requirements.js'
import { IssuerKeyError } from './issuer-key-error.js'
import type { ListedEntity } from './listed-trust.js'
import { subjectAlternativeNames } from './subject-alternative-name.js'
import { type ChainIo, trustedChain } from './trusted-chain.js'

/**
 * Finds the issuer's key from the header's `x5c` (SD-JWT VC, "Issuer Verification Key Discovery and Validation"; HAIP
 * 1.0 §6.1.1).
 *
 * The issuer is the subject of the signer's certificate. `iss` is returned only if the certificate contains it as a
 * URI, or contains the host of an https `iss`. Any other `iss` proves nothing, and the distinguished name is returned
 * instead. Without `iss`, the certificate's URI or DNS name is returned, or the distinguished name if the certificate
 * has neither.
 *
 * @param io `withoutRoots` has the same meaning as for `verifyCertificateChain`
 * @returns the key, the proven issuer, and the certificate that proves both
 * @throws IssuerKeyError
 */
export function x5cIssuerKey(
  x5c: unknown,
  iss: string | undefined,
  io: Omit<ChainIo, 'purpose'>,
): { jwk: Jwk; issuer: string; certificate: X509Certificate; authority?: Jwk; listed?: ListedEntity } {
  const { leaf, path, jwk, listed } = trustedChain(x5c, { ...io, purpose: 'credential' })
  const authority = authorityKeyOf(path)
  return {
    jwk,
    issuer: provenIssuer(leaf, iss),
    certificate: leaf,
    ...(authority === undefined ? {} : { authority }),
    ...(listed === undefined ? {} : { listed }),
  }
}

/** Keys of authorities by their certificates. Verified chains are kept, so each certificate is read once. */
const authorityKeys = new WeakMap<X509Certificate, Jwk>()

/**
 * The key that certified the signer: the key of the second certificate of a verified path. Undefined if the signer is
 * trusted itself, and for a key without a JWK form.
 */
export function authorityKeyOf([, authority]: readonly X509Certificate[]): Jwk | undefined {
  if (authority === undefined) return undefined
  const before = authorityKeys.get(authority)
  if (before !== undefined) return before
  try {
    const jwk = keyOf(authority)
    authorityKeys.set(authority, jwk)
    return jwk
  } catch (error) {
    if (error instanceof IssuerKeyError) return undefined
    throw error
  }
}

function provenIssuer(leaf: X509Certificate, iss: string | undefined): string {
  if (iss === undefined) return subjectOf(leaf)
  return certifies(leaf, iss) ? iss : distinguishedNameOf(leaf)
}

/** Whether a certificate contains the name of an issuer: the issuer's URI, or the host of the issuer's URL. */
export function certifies(leaf: X509Certificate, iss: string): boolean {
  const { dns, uri } = subjectAlternativeNames(leaf)
  if (uri.includes(iss)) return true
  const url = URL.canParse(iss) ? new URL(iss) : undefined
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
  return isWeb && url.username === '' && url.password === '' && dns.includes(url.hostname)
}

/**
 * The name of an issuer that the credential itself does not name: the certificate's URI, the origin of its DNS name, or
 * its distinguished name.
 */
function subjectOf(leaf: X509Certificate): string {
  const { dns, uri } = subjectAlternativeNames(leaf)
  const host = dns.find((name) => !name.startsWith('*'))
  return uri[0] ?? (host === undefined ? distinguishedNameOf(leaf) : `https://${host}`)
}

/**
 * The subject's distinguished name, such as `C=EU, O=Club, CN=Signer`. It is never a URL or a DID. A certificate
 * without a distinguished name (RFC 5280 §4.1.2.6) is named by its hash, like the certificate of a verifier (OpenID4VP
 * 1.0 §5.9.3).
 */
function distinguishedNameOf({ subject, raw }: X509Certificate): string {
  if (subject) return subject.split('\n').join(', ')
  return `x509_hash:${hash('sha256', raw, 'base64url')}`
}
