import type { StatusReference } from '../protocol/credential/verification.js'
import type { Signer } from '../protocol/jose/jws.js'
import type { JsonObject } from '../protocol/json/json-object.js'
import type { CredentialView } from '../protocol/openid4vp/query/credential-view.js'
import type { ClaimsPathPointer } from '../protocol/sd-jwt-vc/present.js'

import type { Installation } from './issuing.js'
import type { Handover } from './verifying.js'

/** Hashes of transaction data, and their algorithm where it is to be named. */
export interface AuthorizedHashes {
  readonly hashes: readonly string[]
  readonly alg?: string
}

/** What a held credential is presented with. */
export interface HolderPresentation {
  readonly compact: string
  /** The claims to disclose, in formats that can withhold some. */
  readonly disclose: readonly ClaimsPathPointer[]
  /** The key that the credential is bound to, under its DID URL. */
  readonly signer: Signer
  /** Whether the verifier wants proof that the holder has the key (OpenID4VP 1.0 §6.1), which some formats give in any case. */
  readonly proofWanted: boolean
  readonly nonce: string
  /** The verifier's client identifier, with its prefix. */
  readonly audience: string
  readonly handover: Exclude<Handover, { readonly origins: unknown }>
  readonly now: Date
  /** What the holder authorizes with it, in formats that have transaction data (OpenID4VP 1.0 Appendix B.3.3.1). */
  readonly transactionDataHashes?: AuthorizedHashes | undefined
  /** A UUID, no other presentation's. */
  readonly id: string
}

/** What a presentation is signed with. */
export interface SignedWith {
  readonly compact: string
  /** JOSE name of the algorithm of the holder's key. */
  readonly holderAlg: string
  readonly proofWanted: HolderPresentation['proofWanted']
}

type NoClaims = Readonly<Record<string, never>>

/** A credential as the library of DCQL sees it: without claims, which are selected here as OpenID4VP 1.0 §7 has it. */
export type LibraryCredential =
  | { readonly credential_format: 'dc+sd-jwt'; readonly vct: string; readonly claims: NoClaims }
  | { readonly credential_format: 'jwt_vc_json'; readonly type: string[]; readonly claims: NoClaims }
  | { readonly credential_format: 'mso_mdoc'; readonly doctype: string; readonly namespaces: NoClaims }

/** What the libraries that hosted wallets are made with take the format for. */
export interface LibrarySide {
  /** Whether the library of OpenID4VCI knows the format, and finds out itself which configurations of it are malformed. */
  readonly checksConfigurations: boolean
  /**
   * A credential query for the format, under any of its names, in the terms of the library of DCQL; undefined where it asks for
   * nothing that the format can answer.
   */
  query(query: JsonObject): JsonObject | undefined
  credential(types: readonly string[]): LibraryCredential
}

/** What of a format the drafts of OpenID4VP need that have Presentation Exchange. */
export interface ExchangeHolding {
  /** The credential with every disclosure as queries look at it. */
  viewOf(compact: string, installation: Pick<Installation, 'issuerBaseUrl'>): CredentialView
  /**
   * What an Input Descriptor Mapping Object says of a presentation, beside the descriptor's id (DIF Presentation Exchange 2 §6; OpenID4VP draft 21
   * §6.1).
   *
   * @param path of the presentation in the `vp_token`
   * @param designations what the verifier calls the format, and what it is presented in
   */
  submittedAs(path: string, designations: readonly string[]): JsonObject
}

/** At once, or later where something must be loaded first. */
type Soon<T> = T | Promise<T>

/** The hosted wallet's half of a credential format. Compact credentials are its holder's: they were verified when they came. */
export interface Holding {
  /** Names that drafts had for the format, by which it is offered and asked for until today. */
  readonly formerNames: readonly string[]
  readonly library: LibrarySide
  /** Whether every credential of the format is bound to a key of its holder's. */
  readonly alwaysBound: boolean
  /** `vct`, every `type`, or the doctype, of an issuer's credential configuration (OpenID4VCI 1.0 Appendix A); nothing where it says none. */
  typesOf(configuration: JsonObject): readonly string[]
  /** The claims that its holder sees, with every disclosure. */
  claimsOf(compact: string): Soon<JsonObject>
  /** What of these claims is about the subject. */
  subjectOf(claims: JsonObject): Record<string, unknown>
  /** The certificate chain of its issuer as a JOSE header has it (RFC 7515 §4.1.6), undefined where there is none. */
  x5cOf(compact: string): Soon<unknown>
  /** Where its status is to be read. */
  statusOf(compact: string): Soon<readonly StatusReference[]>
  /**
   * Whether a verifier takes the algorithms that a presentation is signed with.
   *
   * @param vpFormats `vp_formats_supported` of its metadata (OpenID4VP 1.0 §11.1), `vp_formats` of drafts, or `format` of a presentation definition
   */
  isTakenBy(vpFormats: JsonObject, signed: SignedWith): Soon<boolean>
  present(presentation: HolderPresentation): Promise<string>
  /** Absent where no draft asks for the format here. */
  readonly exchange?: ExchangeHolding
}
