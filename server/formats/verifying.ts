import type { z } from 'zod'
import {
  CredentialError,
  type IssuerKey,
  type StatusReference,
  type VerifyOptions,
} from '../protocol/credential/verification.js'
import type { Jwk } from '../protocol/jose/jws.js'
import type { JsonObject } from '../protocol/json/json-object.js'
import type { HolderKey } from '../protocol/jwt-vc/presentation.js'
import type { ClaimsQuery } from '../protocol/openid4vp/dcql/claims-query.js'
import type { CredentialView } from '../protocol/openid4vp/query/credential-view.js'
import type { TransactionDataHashes } from '../protocol/openid4vp/transaction-data.js'
import type { Work } from '../protocol/work.js'
import type { Installation } from './issuing.js'

/**
 * A credential with a valid signature, valid times and valid disclosures. The caller checks the credential's status,
 * and whether its issuer is trusted.
 */
export interface VerifiedCredential {
  /** The proven issuer. With `x5c`, the subject of the certificate. */
  readonly issuer: string
  readonly issuerKey: IssuerKey
  /** The credential's entries in status lists. */
  readonly status: readonly StatusReference[]
  /** `vct` of an SD-JWT VC, `type` of a W3C credential, doctype of a mobile document. */
  readonly types: readonly string[]
  /** The confirmation of the holder's key (RFC 7800 §3.1). */
  readonly cnf: JsonObject | undefined
  /** The holder's name, in formats that bind a credential to its subject's DID. */
  readonly holder: string | undefined
  /** In seconds since the epoch. */
  readonly issuedAt: number | undefined
  readonly expiresAt: number | undefined
  /** The kind of the holder's proof that the text contains, which was not verified. Undefined if there is no proof. */
  readonly holderProof: string | undefined
  /** The values for the members of `answer` or `answerByCheck`. Empty if the format has neither. */
  readonly shown: JsonObject
}

/**
 * How the wallet sent its answer. In some formats, the holder's proof signs these values (OpenID4VP 1.0 Appendix
 * B.2.6).
 */
export type Handover = {
  /** The public key for encryption of the answer; undefined if no encryption was required. */
  readonly encryptionKey: Jwk | undefined
} & (
  | { readonly clientId: string; readonly responseUri: string }
  /** Origins of the pages that may have made the request, written as browsers write them. */
  | { readonly origins: readonly string[] }
)

/** The values that a presentation must match, and the functions that its verification needs. */
export interface PresentationContext {
  /** These options find the keys of trusted issuers only. */
  readonly options: VerifyOptions
  /**
   * Called before each credential of a presentation, if the format allows several credentials in one presentation. Each
   * credential must pass all checks.
   */
  readonly onNextCredential: () => void
  readonly installation: Installation
  readonly nonce: string
  /**
   * The verifier's client identifier, with its prefix. For a request over the Digital Credentials API, the accepted
   * spellings of the page's origins instead.
   */
  readonly audience: string | readonly string[]
  readonly handover: Handover
  /** The time of the request. */
  readonly requestedAt: Date
  /** `meta` of the credential query. */
  readonly meta: JsonObject
  /** `claims` of the credential query; empty if the query has no claims. */
  readonly claims: readonly ClaimsQuery[]
  /**
   * Fetches the type metadata of an SD-JWT VC type that belongs to a different installation, as text. Undefined if they
   * are unavailable.
   */
  readonly fetchTypeMetadata: (vct: string) => Promise<string | undefined>
  /**
   * When a holder's proof is required. `whereBound`: if the credential is bound to a holder. A proof that is present is
   * always checked.
   */
  readonly proofRequired: 'always' | 'whereBound' | 'never'
  /** Finds the key that a DID URL names. */
  readonly holderKeyOfKid: (kid: string) => Promise<Jwk>
  /**
   * Finds the key for a presentation that is a JWT. Its input is the JWT's header and payload, which are not verified
   * yet.
   */
  readonly holderKeyOfJwt: (header: JsonObject, payload: JsonObject) => Promise<HolderKey>
  /** @throws CredentialError for a credential that is revoked or suspended, or whose status is unavailable. */
  readonly checkStatus: (credential: Pick<VerifiedCredential, 'status' | 'issuerKey'>) => Promise<void>
  /** The budget for work that grows with the size of a presentation or of the request. */
  readonly work: Work
}

/** Content of a presented credential. */
export interface CredentialContent {
  /** `vct` of an SD-JWT VC, `type` of a W3C credential, doctype of a mobile document. */
  readonly type: string[]
  readonly subject?: string
  /** The disclosed claims; an array if there are several subjects. */
  readonly claims: Record<string, unknown> | Record<string, unknown>[]
  /** The request's `intent_to_retain` for elements of a mobile document, by namespace and element (OpenID4VP 1.0 Appendix B.2.4). */
  readonly intentToRetain?: Record<string, Record<string, boolean>>
}

/** A presented credential that has passed every check of its format. */
export interface PresentedCredential {
  readonly issuer: string
  readonly issuerKey: IssuerKey
  /** The certificate chain in the credential, base64 DER, leaf first (RFC 7515 §4.1.6), not verified. */
  readonly x5c: unknown
  /** Whether the holder's proof was present and valid. */
  readonly holderBound: boolean
  /** The proof's statements about transaction data, in formats that have them; not verified. */
  readonly transactionDataHashes?: TransactionDataHashes | undefined
  readonly view: CredentialView
  readonly content: CredentialContent
}

/** The error for a credential without a holder key. */
export const notBound = () =>
  new CredentialError('Credential is not bound to a holder key.', { check: 'holder-binding' })

/**
 * The members of a verification's answer in addition to `isValid`: the name of the format, and the members that contain
 * the credential's content.
 */
export interface FormatAnswer {
  readonly format: string
  readonly members: Readonly<Record<string, z.ZodType>>
}

/**
 * The answer for a format that `POST /credentials/verify` does not accept, but the verification that reports each check
 * does.
 */
export interface AnswerByCheck extends FormatAnswer {
  /**
   * A second, stricter test of a text that `recognises` has accepted: whether it may be a credential of this format. If
   * not, the error says that the format is not supported.
   */
  resembles(text: string): boolean
}

/** The functions of a credential format that verifiers need. */
export interface Verifying {
  /** Whether only a certificate chain to TRUST_ANCHORS proves the issuer of a credential of the format. */
  readonly certifiedOnly: boolean
  /**
   * Verifies one presentation: the credential, the holder's proof and the status.
   *
   * @returns the credentials of the presentation.
   * @throws CredentialError with a sentence about the first check that fails.
   */
  verifyPresentation(presentation: string, context: PresentationContext): Promise<readonly PresentedCredential[]>
  /**
   * The encoded session transcripts that a holder's proof may cover (OpenID4VP 1.0 Appendix B.2.6), for evidence. Absent if the proof
   * covers only nonce and audience.
   */
  transcriptsOf?(handover: Handover, nonce: string): Promise<readonly Uint8Array[]>
  /** Absent if `POST /credentials/verify` does not accept the format; the interface names its formats. */
  readonly answer?: FormatAnswer
  /**
   * The answer of the verification that reports each check, if only this verification accepts the format. Otherwise
   * `answer` applies.
   */
  readonly answerByCheck?: AnswerByCheck
  /**
   * Whether an issued credential looks like a credential of this format. The formats are tried in the order of the
   * registry.
   */
  recognises(compact: string): boolean
  /** Verifies an issued credential. @throws CredentialError with a sentence about the first check that fails. */
  verify(compact: string, options: VerifyOptions): Promise<VerifiedCredential>
}
