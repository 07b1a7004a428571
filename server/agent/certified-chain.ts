import type { X509Certificate } from 'node:crypto'
import { isSelfSigned } from '../protocol/issuer-keys/certificate-chain.js'
import { certificateProfile } from '../protocol/issuer-keys/certificate-profile.js'
import { allowsPurpose, type CertificatePurpose } from '../protocol/issuer-keys/certificate-purpose.js'

/**
 * Maximum number of certificates in a chain. Verifiers, including the verifiers of this service, accept no longer
 * chains.
 */
const MAX_CERTIFICATES = 8

/** The purpose for which the certificates of a chain must be usable. */
export interface ChainRules {
  readonly purpose: CertificatePurpose
  /** The purpose as error messages name it. */
  readonly uses: string
  /** The end of an error about the certificate of an authority. It says where such a certificate is allowed. */
  readonly authorityHint?: string | undefined
}

/**
 * Makes the error for unusable certificates. `reason` continues a sentence that begins with the name of the file or
 * member with the certificates.
 */
export type Refusal = (reason: string) => Error

/** RFC 7515 §4.1.6: each certificate certifies the previous certificate. */
const isChain = (chain: readonly X509Certificate[]): boolean =>
  chain.every((certificate, at) => {
    const next = chain[at + 1]
    return next === undefined || (certificate.checkIssued(next) && certificate.verify(next.publicKey))
  })

function isValidAt(now: Date): (certificate: X509Certificate) => boolean {
  return ({ validFrom, validTo }) => Date.parse(validFrom) <= now.getTime() && now.getTime() <= Date.parse(validTo)
}

function profilesOf(chain: readonly X509Certificate[], refusal: Refusal) {
  try {
    return chain.map(certificateProfile)
  } catch (error) {
    if (error instanceof RangeError) throw refusal('must hold certificates that are well-formed')
    throw error
  }
}

/** Checks the key usages that receivers of signatures check, including this service (RFC 5280 §4.2.1.3, §4.2.1.12). */
function checkUsage(chain: readonly X509Certificate[], { purpose, uses }: ChainRules, refusal: Refusal): void {
  const profiles = profilesOf(chain, refusal)
  if (profiles[0]?.maySign !== true) {
    throw refusal('must begin with a certificate whose keyUsage has digitalSignature')
  }
  if (!profiles.every(({ purposes }) => allowsPurpose(purposes, purpose))) {
    throw refusal(`must hold certificates whose extendedKeyUsage, if present, allows ${uses}`)
  }
}

/**
 * Checks the certificates of a key of this service, leaf first, at the time `now`.
 *
 * @returns the chain for `x5c`: without its root, each certificate as base64 DER.
 * @throws the error of `refusal`, for certificates that no receiver would accept.
 */
export function certifiedChain(
  chain: readonly X509Certificate[],
  rules: ChainRules,
  refusal: Refusal,
  now: Date,
): readonly string[] {
  const [leaf] = chain
  const { authorityHint = '' } = rules
  if (leaf?.ca && authorityHint !== '')
    throw refusal(`must not begin with the certificate of a certification authority${authorityHint}`)
  if (leaf === undefined || isSelfSigned(leaf)) throw refusal('must not begin with a self-signed certificate')
  if (leaf.ca) throw refusal('must not begin with the certificate of a certification authority')
  if (chain.length > MAX_CERTIFICATES || !isChain(chain)) {
    throw refusal(
      `must hold at most ${MAX_CERTIFICATES} certificates, each of which certifies the previous certificate`,
    )
  }
  checkUsage(chain, rules, refusal)
  if (!chain.every(isValidAt(now))) throw refusal('must not hold a certificate that has expired or is not valid yet')
  // A receiver that trusts a root does not need the root in the chain (HAIP 1.0 §5, §6.1.1: the trust anchor is not
  // part of x5c).
  return chain.filter((certificate) => !isSelfSigned(certificate)).map(({ raw }) => raw.toString('base64'))
}

/**
 * Checks the certificates of a key of this service that signs certificates of document signers, the certificate of the key
 * first, at the time `now`. The certificate may be a root.
 *
 * @returns the chain of the key: without a root above it, each certificate as base64 DER.
 * @throws the error of `refusal`, for certificates below which no receiver would accept a signer.
 */
export function authorityChain(
  chain: readonly X509Certificate[],
  { purpose, uses }: ChainRules,
  refusal: Refusal,
  now: Date,
): readonly string[] {
  const [first] = chain
  // OpenSSL, and so `ca`, counts no certificate as an authority whose keyUsage is without keyCertSign.
  if (first?.ca !== true)
    throw refusal(
      'must begin with the certificate of a certification authority with keyCertSign, because signing is delegated',
    )
  if (chain.length >= MAX_CERTIFICATES || !isChain(chain)) {
    throw refusal(
      `must hold at most ${MAX_CERTIFICATES - 1} certificates, each of which certifies the previous certificate`,
    )
  }
  const profiles = profilesOf(chain, refusal)
  // RFC 5280 §4.2.1.3: an authority states keyCertSign.
  if (!chain.every(({ ca }) => ca) || !profiles.every(({ mayCertify }) => mayCertify))
    throw refusal('must hold certificates of certification authorities whose keyUsage has keyCertSign')
  // RFC 5280 §4.2.1.9: the number of authorities between a certificate and the signer.
  if (!profiles.every(({ pathLength }, below) => pathLength === undefined || pathLength >= below))
    throw refusal('must hold certificates whose path lengths leave room for a signer below the first certificate')
  if (profiles.some(({ unsupportedExtension }) => unsupportedExtension))
    throw refusal('must hold certificates without name constraints and without unknown critical extensions')
  if (!profiles.every(({ purposes }) => allowsPurpose(purposes, purpose)))
    throw refusal(`must hold certificates whose extendedKeyUsage, if present, allows ${uses}`)
  if (!chain.every(isValidAt(now))) throw refusal('must not hold a certificate that has expired or is not valid yet')
  return chain
    .filter((certificate, at) => at === 0 || !isSelfSigned(certificate))
    .map(({ raw }) => raw.toString('base64'))
}

/** The rules for certificates of issuers (HAIP 1.0 §6.1.1; SD-JWT VC, "Issuer Signature Mechanisms"). */
export const ISSUER_CHAIN: ChainRules = { purpose: 'credential', uses: 'signing documents' }

/** The rules for certificates that sign authorization requests (OpenID4VP 1.0 §5.9.3). */
export const REQUEST_CHAIN: ChainRules = { purpose: 'request', uses: 'signing requests' }
