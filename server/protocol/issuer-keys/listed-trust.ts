import type { X509Certificate } from 'node:crypto'
import type { Jwk } from '../jose/jwk.js'
import type { CertificatePurpose } from './certificate-purpose.js'

/** How a chain is verified against trusted lists. */
export interface ListedQuery {
  readonly now: Date
  readonly purpose: CertificatePurpose
  readonly withoutRoots?: boolean | undefined
  /** The types of the credential: `vct`, types or doctype. A list that is limited to types needs all of them. */
  readonly types?: readonly string[] | undefined
}

/** The entity of a trusted list that vouches for a signer. */
export interface ListedEntity {
  /** The name of the list. */
  readonly list: string
  /** The name of the entity on the list. Undefined if the list has no name for it. */
  readonly name?: string | undefined
  /**
   * The key of a status list that the same entity signed.
   *
   * @throws IssuerKeyError for the signer of another entity
   */
  statusSigner(x5c: unknown, query: Pick<ListedQuery, 'now' | 'withoutRoots'>): Jwk
}

/** A chain that leads to a service of a trusted list. */
export interface ListedChain {
  readonly leaf: X509Certificate
  /** From the signer's certificate to the certificate of the list. The signer's certificate may be the listed one. */
  readonly path: readonly X509Certificate[]
  readonly jwk: Jwk
  readonly listed: ListedEntity
}

/** The trusted lists for one purpose, as they are in the memory of this process. Nothing is read or fetched. */
export interface ListedTrust {
  /** Whether there is a list for the purpose, also if none can be used now. */
  readonly exists: () => boolean
  /** Whether there is an ETSI list with this address, also if it cannot be used now. */
  readonly reads: (address: string) => boolean
  /** The key of a signer whose chain leads to a service of the list with this address; undefined if the chain does not. */
  readonly keyOn: (address: string, x5c: unknown, query: ListedQuery) => Jwk | undefined
  /**
   * Finds the service that a chain leads to (`x5c`, RFC 7515 §4.1.6).
   *
   * @throws IssuerKeyError with the lists that were looked at, and why a list cannot be used
   */
  readonly find: (x5c: unknown, query: ListedQuery) => ListedChain
}
