import type { X509Certificate } from 'node:crypto'
import type { Jwk } from '../jose/jwk.js'
import { IssuerKeyError } from './issuer-key-error.js'
import { subjectAlternativeNames } from './subject-alternative-name.js'
import { trustedChain } from './trusted-chain.js'

/**
 * The issuer's key by the header's `x5c` (SD-JWT VC, "Issuer Signature Mechanisms"; HAIP 1.0 §6.1.1). An `iss` must be
 * a URI of the signer's certificate or, as an https URL, have one of its DNS names as its host. Without `iss` the
 * issuer is the certificate's subject. With the key comes the certificate that proves it. `withoutRoots` is that of `verifyCertificateChain`. Throws IssuerKeyError.
 */
export function x5cIssuerKey(
  x5c: unknown,
  iss: string | undefined,
  io: { trustAnchors: readonly X509Certificate[]; now: Date; withoutRoots?: boolean },
): { jwk: Jwk; issuer: string; certificate: X509Certificate } {
  const { leaf, jwk } = trustedChain(x5c, { ...io, purpose: 'credential' })
  if (iss === undefined) return { jwk, issuer: subjectOf(leaf), certificate: leaf }
  if (!certifies(leaf, iss)) throw new IssuerKeyError(`The certificate of the signer is not that of the issuer ${iss}.`)
  return { jwk, issuer: iss, certificate: leaf }
}

/** Whether a certificate is in the name of an issuer: the URI itself, or the host of its URL. */
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
  return uri[0] ?? (host === undefined ? leaf.subject.split('\n').join(', ') : `https://${host}`)
}
