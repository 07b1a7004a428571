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

/** What a request and its answer may keep to: OpenID4VP 1.0, HAIP 1.0 as well, or a draft of OpenID4VP. */
export const PROFILE_NAMES = ['final', 'haip', ...DRAFTS] as const
export type ProfileName = (typeof PROFILE_NAMES)[number]

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
 * What a profile allows and demands, and how its version of OpenID4VP says what 1.0 says in another way. Nothing else knows which
 * profiles there are; everything else knows the requests and answers of 1.0 alone.
 */
export interface Profile {
  /** Names of a signed request; of several that one has, one at least is among them. */
  readonly clientIdPrefixes: readonly ClientIdPrefix[]
  /** How a verifier with a certificate names itself; as one without where it cannot. */
  readonly certifiedPrefix: ClientIdPrefix
  readonly responseModes: readonly ResponseMode[]
  /** What the address of a request begins with, beside that for every wallet; null where there is no other. */
  readonly walletUrl: string | null
  /** Whether whoever answers, but by the browser, is always sent back, and the result is for the browser that comes back, unless a request says otherwise. */
  readonly sameDevice: boolean
  readonly hasFormat: (format: CredentialFormat) => boolean
  /** Algorithms of credentials and holders' proofs, as requests name them. */
  readonly algorithms: readonly string[]
  /** Whether certificates that lead to a trust anchor are what issuers, those of status lists too, and the verifier itself are known by. */
  readonly certified: boolean
  /** Whether a holder proves a key wherever a credential has one, as a JWK, whatever the query says. */
  readonly holderBound: boolean
  /** Whose credentials are accepted where neither TRUSTED_ISSUERS nor the request says so. */
  readonly trustedIssuers: readonly string[]
  /** The member that cannot be said, and why; undefined where all can. */
  readonly unsayable: (asked: AskedFor) => string | undefined
  /** A client identifier of 1.0 (§5.9.3) as the request has it; its `client_id` is the audience of presentations. */
  readonly clientParameters: (clientId: string) => ClientParameters
  /** The parameters of a request of 1.0 (§5.1). */
  readonly requestParameters: (parameters: FinalParameters, request: Worded) => JsonObject
  /** A wallet's metadata in the members of 1.0 (§10.1). */
  readonly walletMetadata: (metadata: WalletMetadata, formats: KnownFormats) => WalletMetadata
  /**
   * The presentations in the parameters of an answer, by credential query (§8.1).
   *
   * @throws ResponseError
   */
  readonly presentations: (parameters: JsonObject, request: Answered) => Presentations
}
