import type { X509Certificate } from 'node:crypto'
import type { Jwk } from '../../jose/jwk.js'
import type { ServiceUse, TrustedEntity, TrustedService, TrustList } from '../trust-list.js'

/** A list that may be trusted now, and what the operator limits it to. */
export interface AnchorSource {
  /** The name of the list in answers. */
  readonly id: string
  readonly list: TrustList
  /** The list is not trusted from this time on: its own end, or the end of the operator's `maxAgeHours`. */
  readonly until: Date
  /** Credential types that the list is trusted for. Absent: any type. */
  readonly types?: readonly string[] | undefined
}

/** An entity among compiled anchors. Two services belong to one entity if they have the same object. */
export interface AnchorEntity {
  readonly source: AnchorSource
  readonly entity: TrustedEntity
}

/** A service among compiled anchors. */
export interface AnchorService {
  readonly owner: AnchorEntity
  readonly service: TrustedService
}

/** What a chain must be trusted for. */
export interface TrustQuery {
  readonly now: Date
  readonly use: ServiceUse
  /** The credential type: a docType or `vct`. A service or list that is limited to types needs it. */
  readonly type?: string | undefined
  /**
   * The entity that a status list must be of: the one whose service issued the credential, from a match against the same
   * compiled anchors.
   */
  readonly entity?: AnchorEntity | undefined
}

/** Why a service that a chain leads to does not count. */
export const SERVICE_FAULTS = [
  'other-use',
  'other-entity',
  'other-type',
  'list-out-of-date',
  'withdrawn',
  'not-started',
  'unknown-status',
] as const

export type ServiceFault = (typeof SERVICE_FAULTS)[number]

/** The chain leads to a service that counts. */
export interface Trusted {
  readonly trusted: true
  /** The signer's certificate is listed itself, or another certificate with its key, or an authority above it. */
  readonly by: 'certificate' | 'key' | 'chain'
  readonly jwk: Jwk
  /** From the signer's certificate to the anchor. */
  readonly path: readonly X509Certificate[]
  readonly found: AnchorService
  /** The answer holds while `from` ≤ now < `until`, in milliseconds since the epoch. */
  readonly from: number
  readonly until: number
}

/** The chain does not lead to a service that counts. */
export interface NotTrusted {
  readonly trusted: false
  /** `no-anchor`: no list has it. `chain`: a list has an anchor, but the chain to it is faulty. Else the service's fault. */
  readonly reason: 'no-anchor' | 'chain' | ServiceFault
  readonly sentence: string
  /** Services that the chain leads to, each with its fault. */
  readonly looked: readonly (AnchorService & { readonly fault: ServiceFault })[]
}

export type Match = Trusted | NotTrusted
