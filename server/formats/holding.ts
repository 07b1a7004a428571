import type { StatusReference } from '../protocol/credential/verification.js'
import type { Signer } from '../protocol/jose/jws.js'
import type { JsonObject } from '../protocol/json/json-object.js'
import type { CredentialView } from '../protocol/openid4vp/query/credential-view.js'
import type { ClaimsPathPointer } from '../protocol/sd-jwt-vc/present.js'

import type { Installation } from './issuing.js'
import type { Handover } from './verifying.js'

/** Hashes of transaction data, and the hash algorithm if the presentation must name the algorithm. */
export interface AuthorizedHashes {
  readonly hashes: readonly string[]
  readonly alg?: string
}

/** Input for the presentation of a held credential. */
export interface HolderPresentation {
  readonly compact: string
  /** The claims to disclose, in formats with selective disclosure. */
  readonly disclose: readonly ClaimsPathPointer[]
  /** Signs with the key to which the credential is bound. The signer's `kid` is the key's DID URL. */
  readonly signer: Signer
  /**
   * Whether the verifier requires proof of the holder's key (OpenID4VP 1.0 §6.1). Some formats always include the
   * proof.
   */
  readonly proofWanted: boolean
  readonly nonce: string
  /** The verifier's client identifier, with its prefix. */
  readonly audience: string
  readonly handover: Exclude<Handover, { readonly origins: unknown }>
  readonly now: Date
  /** Transactions that the holder authorizes, in formats that have transaction data (OpenID4VP 1.0 Appendix B.3.3.1). */
  readonly transactionDataHashes?: AuthorizedHashes | undefined
  /** A UUID, different for each presentation. */
  readonly id: string
}

/** The data that decide with which algorithms a presentation is signed. */
export interface SignedWith {
  readonly compact: string
  /** JOSE name of the algorithm of the holder's key. */
  readonly holderAlg: string
  readonly proofWanted: HolderPresentation['proofWanted']
}

type NoClaims = Readonly<Record<string, never>>

/**
 * A credential as the DCQL library expects it. It has no claims, because this service selects claims itself, as
 * OpenID4VP 1.0 §7 defines.
 */
export type LibraryCredential =
  | { readonly credential_format: 'dc+sd-jwt'; readonly vct: string; readonly claims: NoClaims }
  | { readonly credential_format: 'jwt_vc_json'; readonly type: string[]; readonly claims: NoClaims }
  | { readonly credential_format: 'mso_mdoc'; readonly doctype: string; readonly namespaces: NoClaims }

/** What the libraries of hosted wallets need to know about a format. */
export interface LibrarySide {
  /** Whether the OpenID4VCI library knows the format, so that it detects malformed configurations of the format. */
  readonly checksConfigurations: boolean
  /**
   * Converts a credential query for the format, under any name of the format, to a query for the DCQL library.
   * Undefined if the format can answer no part of the query.
   */
  query(query: JsonObject): JsonObject | undefined
  credential(types: readonly string[]): LibraryCredential
}

/** Functions of a format for drafts of OpenID4VP with Presentation Exchange. */
export interface ExchangeHolding {
  /** The credential with every disclosure, as queries read it. */
  viewOf(compact: string, installation: Pick<Installation, 'issuerBaseUrl'>): CredentialView
  /**
   * Members of an Input Descriptor Mapping Object for a presentation, except the descriptor's id (DIF Presentation Exchange 2 §6;
   * OpenID4VP draft 21 §6.1).
   *
   * @param path of the presentation in the `vp_token`
   * @param designations the verifier's names for the format and for its presentation
   */
  submittedAs(path: string, designations: readonly string[]): JsonObject
}

/** A value, or a promise if something must be loaded first. */
type Soon<T> = T | Promise<T>

/**
 * The functions of a credential format that hosted wallets need. The compact credentials belong to the holder and were
 * verified on receipt.
 */
export interface Holding {
  /** The format's names in drafts, which some issuers and verifiers still use. */
  readonly formerNames: readonly string[]
  readonly library: LibrarySide
  /** Whether every credential of the format is bound to a holder's key. */
  readonly alwaysBound: boolean
  /**
   * Returns the types in an issuer's credential configuration (OpenID4VCI 1.0 Appendix A): `vct`, every `type`, or the
   * doctype. Empty if the configuration names no type.
   */
  typesOf(configuration: JsonObject): readonly string[]
  /** `meta` of a credential query for these types (OpenID4VP 1.0 Appendix B): the reverse of {@link Holding.typesOf}. */
  metaOf(types: readonly string[]): JsonObject
  /** The claims that the credential's holder sees, with every disclosure. */
  claimsOf(compact: string): Soon<JsonObject>
  /** The part of the claims that is about the subject. */
  subjectOf(claims: JsonObject): Record<string, unknown>
  /** The issuer's certificate chain as `x5c` of a JOSE header (RFC 7515 §4.1.6); undefined if there is none. */
  x5cOf(compact: string): Soon<unknown>
  /** References to the credential's entries in status lists. */
  statusOf(compact: string): Soon<readonly StatusReference[]>
  /**
   * Whether a verifier accepts the algorithms of a presentation's signatures.
   *
   * @param vpFormats `vp_formats_supported` of the verifier's metadata (OpenID4VP 1.0 §11.1), `vp_formats` of drafts,
   * or `format` of a presentation definition
   */
  isTakenBy(vpFormats: JsonObject, signed: SignedWith): Soon<boolean>
  present(presentation: HolderPresentation): Promise<string>
  /** Absent if this service does not present the format to verifiers of drafts. */
  readonly exchange?: ExchangeHolding
}
