import type { ListDefinition } from '../../config/trust-lists.js'
import type { Anchors } from '../../protocol/trust-lists/match/anchors.js'
import type { TrustList } from '../../protocol/trust-lists/trust-list.js'
import type { DocumentState } from '../document-store.js'
import type { KnownList } from './list-state.js'

/** The stored content that a process has read, or why it refuses the content. */
export interface ReadVersion {
  readonly version: number
  readonly list: TrustList | undefined
  readonly refused: KnownList['refused']
  /** SHA-256 of the signer's certificate. */
  readonly signer: string | undefined
  readonly anchors: readonly Anchors[]
}

/** A trusted list of the configuration or of the API, as this process knows it. */
export interface LiveList extends KnownList {
  readonly id: string
  readonly definition: ListDefinition
  readonly documentId: string
  /** Whether an admin added the list. Otherwise TRUST_LISTS has it. */
  readonly isAdded: boolean
  readonly state: DocumentState | undefined
  readonly list: TrustList | undefined
  readonly signer: string | undefined
}
