import type { Jwk } from '../jose/jwk.js'

/** The kinds of trusted lists, each with a folder of its own. */
export const LIST_KINDS = ['lote', 'vical', 'tsl'] as const

export type ListKind = (typeof LIST_KINDS)[number]

/** Texts by their language tag (BCP 47), such as `{ en: 'Ministry of the Interior' }`. */
export type Names = Readonly<Record<string, string>>

/**
 * A trusted list of any kind, in one form. It has only the members that decide about trust, and the names that people
 * read.
 */
export interface TrustList {
  readonly kind: ListKind
  /** The profile that the list was checked against; absent if the caller asked for none. */
  readonly profile?: ListProfile
  /** The URI of the list's type, if the list has one: `LoTEType`, `TSLType`. */
  readonly type?: string
  /** Grows with each issue of the list. A VICAL may have none. */
  readonly sequenceNumber?: number
  readonly issuedAt: Date
  /** The list's own end. Absent for a VICAL without one. */
  readonly nextUpdate?: Date
  /** Country code of two letters, or `EU`. */
  readonly territory?: string
  readonly operator: Names
  readonly entities: readonly TrustedEntity[]
}

/** An entity of a list: somebody who offers trusted services. */
export interface TrustedEntity {
  readonly names: Names
  readonly territory?: string
  readonly services: readonly TrustedService[]
}

/** Uses of a service's certificates: credentials (or certificates of their signers), or the status of credentials. */
export type ServiceUse = 'issuance' | 'status'

/**
 * The state of a service. A list without states grants each service that it holds. `unknown` is a state that the
 * standards do not define: such a service is not trusted.
 */
export type ServiceStatus = 'granted' | 'withdrawn' | 'unknown'

export interface TrustedService {
  /** The URI of the service's type. */
  readonly type: string
  /** Empty for a service whose type is not known here; such a service is not trusted. */
  readonly uses: readonly ServiceUse[]
  readonly names: Names
  readonly status: ServiceStatus
  /** The URI of the state, if the list has one. */
  readonly statusUri?: string
  /** The service is trusted from this time on. Absent: since ever. */
  readonly startsAt?: Date
  /** The service is trusted until before this time. A withdrawn service ends when it was withdrawn. */
  readonly endsAt?: Date
  /** Certificates in DER: of authorities, or of the signers themselves. */
  readonly certificates: readonly Uint8Array[]
  /** Public keys that the list names without a certificate. */
  readonly keys: readonly Jwk[]
  /** Credential types that the service is limited to: docTypes or `vct` values. Absent: any type. */
  readonly types?: readonly string[]
}

/**
 * Profiles of TS 119 602 (annexes D to I). A list without a profile is read by the general rules only.
 */
export const LIST_PROFILES = ['pid', 'wallet', 'wrpac', 'wrprc', 'pub-eaa', 'mdl'] as const

export type ListProfile = (typeof LIST_PROFILES)[number]
