import { X509Certificate } from 'node:crypto'
import type { Jwk } from '../jose/jwk.js'
import type { CertificatePurpose } from './certificate-purpose.js'
import { keyOf, requireProfile, requireValid } from './certificate-requirements.js'
import { IssuerKeyError } from './issuer-key-error.js'

const MAX_CERTIFICATES = 8
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/**
 * The certificates that a header's `x5c` holds (RFC 7515 §4.1.6: base64 DER, the signer's first). Throws
 * IssuerKeyError.
 */
export function readX5c(x5c: unknown): X509Certificate[] {
  if (!Array.isArray(x5c) || x5c.length === 0 || x5c.length > MAX_CERTIFICATES) {
    throw new IssuerKeyError(`The certificate chain must be an array of 1 to ${MAX_CERTIFICATES} certificates.`)
  }
  return x5c.map((entry: unknown) => {
    if (typeof entry !== 'string' || !BASE64.test(entry))
      throw new IssuerKeyError('x5c has an entry that is not base64.')
    const certificate = certificateIn(entry)
    // Additional octets after the certificate are refused: one certificate could otherwise be written as many different
    // texts.
    if (certificate.raw.toString('base64') !== entry) throw notX509()
    return certificate
  })
}

const notX509 = (options?: ErrorOptions) =>
  new IssuerKeyError('The certificate chain has an entry that is not an X.509 certificate.', options)

function certificateIn(base64: string): X509Certificate {
  try {
    return new X509Certificate(Buffer.from(base64, 'base64'))
  } catch (cause) {
    throw notX509({ cause })
  }
}

/**
 * The key in the signer's certificate of an `x5c`. The certificate alone proves nothing: the owner of the key must be
 * known from elsewhere. Throws IssuerKeyError.
 */
export function keyInX5c(x5c: unknown): Jwk {
  const [leaf] = readX5c(x5c)
  if (leaf === undefined) throw new IssuerKeyError('The certificate chain is empty.')
  return keyOf(leaf)
}

/**
 * Verifies that a chain, the signer's certificate first, leads to a trust anchor (RFC 5280 §6.1). The function checks
 * signatures, validity at `now`, CA flags, path lengths, key usages and purposes. Unknown critical extensions are
 * refused. The signer's certificate must be neither a CA certificate nor an anchor (HAIP 1.0 §6.1.1: it must not be
 * self-signed). Revocation is not checked. Returns the signer's key and the verified path, from the signer's
 * certificate to the anchor. The path leaves out certificates that follow the anchor in the chain. Throws
 * IssuerKeyError. The message of the error does not say `x5c`, since COSE sends the chain in `x5chain`.
 *
 * With `withoutRoots`, the chain must not contain the anchor or any other root certificate, at any position (HAIP 1.0
 * §6.1, §6.1.1).
 */
export function verifyCertificateChain(
  chain: readonly X509Certificate[],
  io: {
    trustAnchors: readonly X509Certificate[]
    now: Date
    purpose: CertificatePurpose
    withoutRoots?: boolean | undefined
  },
): { leaf: X509Certificate; path: readonly X509Certificate[]; jwk: Jwk } {
  const path = pathToAnchor(chain, io.trustAnchors)
  const [leaf] = path
  if (leaf === undefined) throw new IssuerKeyError('The certificate chain is empty.')
  // The checks start at the anchor, so that only certified keys verify signatures. A stranger's RSA key may take a
  // hundred times as long.
  for (let position = path.length - 1; position >= 0; position -= 1) {
    const [certificate = leaf, issuer] = path.slice(position)
    if (issuer !== undefined && !certificate.verify(issuer.publicKey)) throw noChain()
    requireValid(certificate, io.now)
    requireProfile(certificate, { position, isAnchor: issuer === undefined, purpose: io.purpose })
  }
  if (io.withoutRoots === true) requireNoRoot(chain, path, io.trustAnchors)
  return { leaf, path, jwk: keyOf(leaf) }
}

const noChain = () => new IssuerKeyError('The certificates do not form a chain.')

/** Finds the path by comparing names. This function verifies only the signatures that anchors made. */
function pathToAnchor(chain: readonly X509Certificate[], anchors: readonly X509Certificate[]): X509Certificate[] {
  const path: X509Certificate[] = []
  for (const certificate of chain) {
    const previous = path.at(-1)
    // RFC 7515 §4.1.6: each certificate certifies the preceding certificate.
    if (previous !== undefined && !namesIssuer(previous, certificate)) throw noChain()
    path.push(certificate)
    // If the chain contains an anchor, the path ends with the anchor. The first certificate cannot be the anchor: the
    // signer would certify itself.
    if (previous !== undefined && isAmong(anchors, certificate)) return path
    const anchor = anchors.find(
      (candidate) => namesIssuer(certificate, candidate) && certificate.verify(candidate.publicKey),
    )
    if (anchor !== undefined) return [...path, anchor]
  }
  throw new IssuerKeyError('The certificate chain does not lead to a trust anchor.')
}

const isAmong = (certificates: readonly X509Certificate[], { fingerprint256 }: X509Certificate): boolean =>
  certificates.some((certificate) => certificate.fingerprint256 === fingerprint256)

/** Whether a certificate is signed with its own key. */
export function isSelfSigned(certificate: X509Certificate): boolean {
  try {
    return certificate.verify(certificate.publicKey)
  } catch {
    // The key is of an unknown kind.
    return false
  }
}

/** @param path the verified part of the chain; the keys of all other certificates are not proven */
function requireNoRoot(
  chain: readonly X509Certificate[],
  path: readonly X509Certificate[],
  anchors: readonly X509Certificate[],
): void {
  // RFC 5280 §3.2: a self-signed certificate is also self-issued, and comparing names is cheap.
  const isRoot = (certificate: X509Certificate) =>
    certificate.subject === certificate.issuer && (!path.includes(certificate) || isSelfSigned(certificate))
  if (chain.some((certificate) => isAmong(anchors, certificate) || isRoot(certificate))) {
    throw new IssuerKeyError('The certificate chain holds a trust anchor, which must be left out.')
  }
}

/**
 * Whether one certificate can be the issuer of another certificate. Compares the names and the key identifiers, and
 * checks the issuer's `keyCertSign` (RFC 5280 §6.1.3 (a)(4), §6.1.4 (n)).
 */
const namesIssuer = (certificate: X509Certificate, issuer: X509Certificate): boolean =>
  certificate.fingerprint256 !== issuer.fingerprint256 && certificate.checkIssued(issuer)
