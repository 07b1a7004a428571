import { hash, type KeyObject, type X509Certificate } from 'node:crypto'
import { verifyCertificateChain } from '../issuer-keys/certificate-chain.js'
import { certificateProfile } from '../issuer-keys/certificate-profile.js'
import { IssuerKeyError } from '../issuer-keys/issuer-key-error.js'
import { certificatesInPem } from '../issuer-keys/pem.js'
import { MAX_SIGNERS } from './limits.js'
import type { ListSigner, PinnedSigner } from './read-list.js'
import { ListRefusedError, type Progress } from './refusal.js'

const SHA256 = /^[0-9a-f]{64}$/

/** Purposes of certificates that sign lists, as hexadecimal DER content. */
const LIST_SIGNING: readonly string[] = [
  '040091370300', // id-tsl-kp-tslSigning, 0.4.0.2231.3.0 (TS 119 612 §5.7.1)
  '28818c5d050108', // VICAL signer, 1.0.18013.5.1.8 (ISO/IEC 18013-5 Annex B)
]

/** The pinned signers, ready for comparisons. Any of them may sign. */
export interface Pin {
  readonly sha256: readonly string[]
  /** Empty if the operator gave only a hash. */
  readonly certificates: readonly X509Certificate[]
}

/** Reads what the operator has pinned. Throws ListRefusedError `pin`. */
export function readPin(signer: PinnedSigner): Pin {
  if ('pem' in signer) {
    const certificates = pinnedCertificates(signer.pem)
    return { sha256: certificates.map(sha256Of), certificates }
  }
  const sha256 = signer.sha256.replaceAll(':', '').toLowerCase()
  if (SHA256.test(sha256)) return { sha256: [sha256], certificates: [] }
  throw new ListRefusedError('pin', 'The pinned signer is no SHA-256 hash of 64 hexadecimal digits.')
}

function pinnedCertificates(pem: string): readonly X509Certificate[] {
  try {
    return certificatesInPem(pem, MAX_SIGNERS)
  } catch (cause) {
    const message = `The pinned signer must be 1 to ${MAX_SIGNERS} certificates in PEM form.`
    throw new ListRefusedError('pin', message, { cause })
  }
}

const sha256Of = (certificate: X509Certificate): string => hash('sha256', certificate.raw, 'hex')

/**
 * The certificate whose key must have made the signature: the first of the list's own chain, or the only pinned
 * certificate if the list has no chain. Records it in `progress`. Nothing is trusted yet.
 */
export function signerOf(chain: readonly X509Certificate[], pin: Pin, progress: Progress): ListSigner {
  const [only, ...others] = pin.certificates
  const certificate = chain[0] ?? (others.length === 0 ? only : undefined)
  if (certificate === undefined) {
    throw new ListRefusedError(
      'no-signer',
      'The list names no certificate of its signer, so exactly one certificate must be pinned, and not a hash.',
    )
  }
  const signer = { certificate, sha256: sha256Of(certificate) }
  progress.signer = signer
  return signer
}

/** The key of a signer's certificate. Throws ListRefusedError `algorithm` for a key of an unknown kind. */
export function keyOfSigner({ certificate }: ListSigner): KeyObject {
  try {
    return certificate.publicKey
  } catch (cause) {
    throw new ListRefusedError('algorithm', 'The key of the list’s signer is of no supported type.', { cause })
  }
}

/**
 * Answers who signed: the pinned certificate itself, a list signer of the pinned authority, or somebody else. A
 * certificate of an authority counts only if its `extendedKeyUsage` is that of list signers. Otherwise every
 * certificate of the authority could sign lists. Records the answer in `progress`.
 */
export function judgeSigner(chain: readonly X509Certificate[], pin: Pin, now: Date, progress: Progress): void {
  const { signer } = progress
  progress.trust = 'other'
  if (signer !== undefined && pin.sha256.includes(signer.sha256)) {
    progress.trust = 'certificate'
    return
  }
  for (const authority of pin.certificates.filter(({ ca }) => ca)) {
    const fault = faultBelow(authority, chain, now)
    if (fault === undefined) {
      progress.trust = 'authority'
      return
    }
    progress.fault = fault
  }
}

/** Why the chain does not prove a list signer of the authority; undefined if it does. */
function faultBelow(authority: X509Certificate, chain: readonly X509Certificate[], now: Date): string | undefined {
  try {
    const { leaf } = verifyCertificateChain(chain, { trustAnchors: [authority], now, purpose: 'list' })
    return signsLists(leaf) ? undefined : 'The certificate is not meant for signing lists.'
  } catch (error) {
    if (error instanceof IssuerKeyError) return error.message
    throw error
  }
}

function signsLists(certificate: X509Certificate): boolean {
  try {
    return certificateProfile(certificate).purposes?.some((purpose) => LIST_SIGNING.includes(purpose)) === true
  } catch {
    return false
  }
}

/**
 * Refuses a list by the two answers about its signature: the signature itself first, then the signer, then the
 * signer's validity. Throws ListRefusedError.
 */
export function requireTrustedSigner({ signature, trust, signer, fault }: Progress, now: Date): void {
  if (signature !== 'valid') {
    throw new ListRefusedError('signature', 'The signature of the list does not fit its content and its signer.')
  }
  if (signer === undefined || (trust !== 'certificate' && trust !== 'authority')) {
    throw new ListRefusedError(
      'signer',
      `The list is signed by a certificate that is not pinned (SHA-256 ${signer?.sha256 ?? 'unknown'}).` +
        (fault === undefined ? '' : ` It is not of the pinned authority either: ${fault}`),
    )
  }
  const { validFrom, validTo } = signer.certificate
  if (!(Date.parse(validFrom) <= now.getTime() && now.getTime() <= Date.parse(validTo))) {
    throw new ListRefusedError(
      'signer-expired',
      `The certificate of the list's signer is valid from ${validFrom} to ${validTo} only.`,
    )
  }
}
