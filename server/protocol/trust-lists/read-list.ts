import type { X509Certificate } from 'node:crypto'
import type { ListProfile, TrustList } from './trust-list.js'

/**
 * Who may sign a list. The operator of this service pins the signer, because a list cannot vouch for itself.
 *
 * `pem`: certificates of signers, or of authorities whose certificates for list signers are accepted too. Any of them may
 * sign, so that a list can change its signer. `sha256`: the hash of the signer's certificate in DER, hexadecimal.
 */
export type PinnedSigner = { readonly pem: string } | { readonly sha256: string }

/** What a reader must know. Readers have no clock and no network. */
export interface ReadOptions {
  readonly signer: PinnedSigner
  readonly now: Date
  /** The list must be of this profile. */
  readonly profile?: ListProfile | undefined
  /**
   * Types of services (URIs) that are trusted, in place of those that the kind of list trusts. Lists of the profiles have
   * their own types.
   */
  readonly serviceTypes?: readonly string[] | undefined
  /** The list must be of this territory. */
  readonly territory?: string | undefined
  /** The issue of the list that was trusted before. The list must not be older. */
  readonly previous?: { readonly sequenceNumber?: number | undefined; readonly issuedAt: Date } | undefined
}

/** Why a list is refused. Each value has its own sentence. */
export const LIST_CHECKS = [
  'too-large',
  'malformed',
  'nested-too-deep',
  'too-many-entities',
  'too-many-services',
  'too-many-certificates',
  'unsigned',
  'header',
  'algorithm',
  'no-signer',
  'signature',
  'signer',
  'signer-expired',
  'pin',
  'type',
  'profile',
  'territory',
  'not-yet-issued',
  'out-of-date',
  'sequence-went-back',
  'doctype',
  'several-signatures',
  'reference',
  'external-reference',
  'transform',
  'duplicate-id',
  'signed-properties',
  'critical-extension',
] as const

export type ListCheck = (typeof LIST_CHECKS)[number]

/** Whether the signature fits the content and the key of the certificate that the list names. */
export type SignatureAnswer = 'valid' | 'invalid' | 'not-checked'

/**
 * Whether the signer is the pinned one. `certificate`: the signer's certificate is pinned. `authority`: its authority is.
 * `other`: somebody else has signed.
 */
export type SignerAnswer = 'certificate' | 'authority' | 'other' | 'not-checked'

export interface ListSigner {
  readonly certificate: X509Certificate
  /** SHA-256 of the certificate in DER, hexadecimal in lower case. */
  readonly sha256: string
}

/** A list that passed every check. */
export interface AcceptedList {
  readonly accepted: true
  readonly list: TrustList
  readonly signature: 'valid'
  readonly trust: 'certificate' | 'authority'
  readonly signer: ListSigner
}

/** A list that failed a check. Both answers about the signature are given even so, as far as they are known. */
export interface RefusedList {
  readonly accepted: false
  readonly check: ListCheck
  /** One sentence for operators. It holds names of members, and no other content of the list except times and hashes. */
  readonly sentence: string
  readonly signature: SignatureAnswer
  readonly trust: SignerAnswer
  readonly signer?: ListSigner
}

export type ReadList = AcceptedList | RefusedList

/** Reads a list of one kind: bytes, as they were received. Never throws for what the bytes hold. */
export type ListReader = (bytes: Uint8Array, options: ReadOptions) => Promise<ReadList>
