import type { CredentialFormat } from '../../../formats/format.js'
import type { Formats } from '../../../formats/registry.js'
import type { JsonObject } from '../../../protocol/json/json-object.js'
import type { Presentations } from '../../../protocol/openid4vp/authorization-response.js'
import type { ClientIdPrefix } from '../../../protocol/openid4vp/client-identifier.js'
import type { DcqlQuery } from '../../../protocol/openid4vp/dcql/dcql-query.js'
import { DRAFTS } from '../../../protocol/openid4vp/drafts.js'
import type {
  ClientParameters,
  FinalParameters,
  ResponseMode,
  VerifierInfo,
} from '../../../protocol/openid4vp/request-object.js'
import type { TransactionData } from '../../../protocol/openid4vp/transaction-data.js'
import type { WalletMetadata } from '../../../protocol/openid4vp/wallet-metadata.js'

/** Rules for a request and its answer: OpenID4VP 1.0, HAIP 1.0 in addition, or a draft of OpenID4VP. */
export const PROFILE_NAMES = ['final', 'haip', ...DRAFTS] as const
export type ProfileName = (typeof PROFILE_NAMES)[number]

/** Parts of a new request that a version may be unable to express. */
export interface AskedFor {
  readonly dcqlQuery: DcqlQuery
  /** The items that the query was made from; null if the caller gave a DCQL query. */
  readonly vpQuery: readonly unknown[] | null
  readonly verifierInfo?: readonly VerifierInfo[] | undefined
  readonly transactionData?: readonly TransactionData[] | undefined
}

export type KnownFormats = Pick<Formats, 'all' | 'named'>

/** A request that is expressed in the format of a version. */
export interface Worded {
  /** The id of the request, which nobody can guess. It is the same each time. */
  readonly id: string
  readonly formats: KnownFormats
  /** The wallet's metadata in the members of 1.0; undefined if the wallet sent none. */
  readonly wallet?: WalletMetadata | undefined
  /** Client metadata with the names and logos of the verifier; undefined unless the profile `namesVerifier`. */
  readonly verifier?: JsonObject | undefined
}

/** A request with an answer. */
export interface Answered {
  readonly id: string
  readonly dcqlQuery: DcqlQuery
  readonly formats: KnownFormats
}

/**
 * The rules of a profile, and how its version of OpenID4VP expresses the messages of 1.0. No other code knows which profiles
 * exist: all other code handles only the requests and answers of 1.0.
 */
export interface Profile {
  /**
   * Client identifier prefixes of a signed request. A request with several prefixes has at least one prefix of this
   * list.
   */
  readonly clientIdPrefixes: readonly ClientIdPrefix[]
  /**
   * Prefix of a verifier with a certificate. If this prefix does not fit the verifier, the request uses the prefix
   * without a certificate.
   */
  readonly certifiedPrefix: ClientIdPrefix
  readonly responseModes: readonly ResponseMode[]
  /**
   * The beginning of a second request address, beside the address for every wallet; null if there is no second address.
   */
  readonly walletUrl: string | null
  /**
   * True if a wallet must send its user back, and only the browser that returns gets the result. A request may choose
   * otherwise. This rule does not apply over the Digital Credentials API.
   */
  readonly sameDevice: boolean
  readonly hasFormat: (format: CredentialFormat) => boolean
  /** Algorithms of credentials and holders' proofs, with their names in requests. */
  readonly algorithms: readonly string[]
  /** Whether issuers, status lists and the verifier are identified only by certificates that chain to a trust anchor. */
  readonly certified: boolean
  /**
   * Whether each credential with a key needs a proof by its holder, even if the query requires none. The key must be a
   * JWK.
   */
  readonly holderBound: boolean
  /** Trusted issuers if neither TRUSTED_ISSUERS nor the request lists any. */
  readonly trustedIssuers: readonly string[]
  /** The member that the version cannot express, and the reason; undefined if the version can express the request. */
  readonly unsayable: (asked: AskedFor) => string | undefined
  /** Converts a client identifier of 1.0 (§5.9.3) to the request's parameters. Their `client_id` is the audience of presentations. */
  readonly clientParameters: (clientId: string) => ClientParameters
  /**
   * Whether signed requests contain the verifier's names and logos. Since draft 22, wallets must ignore these members of
   * `client_metadata` (1.0 §5.1).
   */
  readonly namesVerifier: boolean
  /** Converts the parameters of a 1.0 request (§5.1). */
  readonly requestParameters: (parameters: FinalParameters, request: Worded) => JsonObject
  /** Converts a wallet's metadata to the members of 1.0 (§10.1). */
  readonly walletMetadata: (metadata: WalletMetadata, formats: KnownFormats) => WalletMetadata
  /**
   * Reads the presentations of an answer, by credential query (§8.1).
   *
   * @throws ResponseError
   */
  readonly presentations: (parameters: JsonObject, request: Answered) => Presentations
}
