import type { Formats } from '../../../formats/registry.js'
import type { JsonObject } from '../../../protocol/json/json-object.js'
import type { Presentations } from '../../../protocol/openid4vp/authorization-response.js'
import type { DcqlQuery } from '../../../protocol/openid4vp/dcql/dcql-query.js'
import type { ClientParameters, FinalParameters, VerifierInfo } from '../../../protocol/openid4vp/request-object.js'
import type { TransactionData } from '../../../protocol/openid4vp/transaction-data.js'
import type { WalletMetadata } from '../../../protocol/openid4vp/wallet-metadata.js'

/** What of a new request a version may have no words for. */
export interface AskedFor {
  readonly dcqlQuery: DcqlQuery
  /** Items that the query was made of; null where it is the caller's own. */
  readonly vpQuery: readonly unknown[] | null
  readonly verifierInfo?: readonly VerifierInfo[] | undefined
  readonly transactionData?: readonly TransactionData[] | undefined
}

export type KnownFormats = Pick<Formats, 'all' | 'named'>

/** A request that is put into words. */
export interface Worded {
  /** Unguessable, and the same each time. */
  readonly id: string
  readonly formats: KnownFormats
  /** What the wallet says of itself, in the words of 1.0; undefined where it said nothing. */
  readonly wallet?: WalletMetadata | undefined
}

/** A request that was answered. */
export interface Answered {
  readonly id: string
  readonly dcqlQuery: DcqlQuery
  readonly formats: KnownFormats
}

/**
 * How one version of OpenID4VP says what 1.0 says in another way. Everything else of the service knows the requests and
 * answers of 1.0 alone.
 */
export interface Dialect {
  /** The member that cannot be said, and why; undefined where all can. */
  readonly fault: (asked: AskedFor) => string | undefined
  /** A client identifier of 1.0 (§5.9.3) as the request has it; its `client_id` is the audience of presentations. */
  readonly client: (clientId: string) => ClientParameters
  /** The parameters of a request of 1.0 (§5.1). */
  readonly parameters: (parameters: FinalParameters, request: Worded) => JsonObject
  /** A wallet's metadata in the members of 1.0 (§10.1). */
  readonly walletMetadata: (metadata: WalletMetadata, formats: KnownFormats) => WalletMetadata
  /**
   * The presentations in the parameters of an answer, by credential query (§8.1).
   *
   * @throws ResponseError
   */
  readonly presentations: (parameters: JsonObject, request: Answered) => Presentations
}
