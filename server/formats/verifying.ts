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

/** A credential whose signature, times and disclosures hold. Trust in its issuer, and its status, are for the caller to check. */
export interface VerifiedCredential {
  /** The proven issuer; with `x5c` the subject of the certificate. */
  readonly issuer: string
  readonly issuerKey: IssuerKey
  /** Its entries in status lists. */
  readonly status: readonly StatusReference[]
  /** `vct` of an SD-JWT VC, `type` of a W3C credential, doctype of a mobile document. */
  readonly types: readonly string[]
  /** The confirmation of the holder's key (RFC 7800 §3.1). */
  readonly cnf: JsonObject | undefined
  /** Who holds it by name, in formats that bind a credential to its subject's DID. */
  readonly holder: string | undefined
  /** In seconds since the epoch. */
  readonly issuedAt: number | undefined
  readonly expiresAt: number | undefined
  /** The kind of holder's proof that came with it, which was not verified; undefined where there was none. */
  readonly holderProof: string | undefined
  /** What is shown of it where it is verified alone: the members of `answer` or `answerByCheck`; nothing where there is none. */
  readonly shown: JsonObject
}

/** How an answer came, which some holders' proofs cover (OpenID4VP 1.0 Appendix B.2.6). */
export type Handover = {
  /** The public key that it had to be encrypted to; undefined where it had not. */
  readonly encryptionKey: Jwk | undefined
} & (
  | { readonly clientId: string; readonly responseUri: string }
  /** Of the pages that may have asked, as browsers write them. */
  | { readonly origins: readonly string[] }
)

/** What a presentation must be bound to, and what verifying it takes from outside. */
export interface PresentationContext {
  /** They find the keys of trusted issuers only. */
  readonly options: VerifyOptions
  /** Told before each credential of a presentation that may hold several: each has to pass the checks anew. */
  readonly onNextCredential: () => void
  readonly installation: Installation
  readonly nonce: string
  /** The verifier's client identifier, with its prefix; where a page asked, its origins in every form that counts. */
  readonly audience: string | readonly string[]
  readonly handover: Handover
  /** When it was asked for. */
  readonly requestedAt: Date
  /** `meta` of the credential query that it answers. */
  readonly meta: JsonObject
  /** `claims` of that query; none where it has none. */
  readonly claims: readonly ClaimsQuery[]
  /** The type metadata of an SD-JWT VC type of another installation, as text; undefined where none can be had. */
  readonly fetchTypeMetadata: (vct: string) => Promise<string | undefined>
  /** Whether it must have a proof of its holder, always or where the credential is bound to one; one that is there is checked in any case. */
  readonly proofRequired: 'always' | 'whereBound' | 'never'
  /** The key that a DID URL names. */
  readonly holderKeyOfKid: (kid: string) => Promise<Jwk>
  /** The key that a presentation in a JWT is signed with, by its header and payload, which are not verified yet. */
  readonly holderKeyOfJwt: (header: JsonObject, payload: JsonObject) => Promise<HolderKey>
  /** @throws CredentialError for a credential that is revoked or suspended, or whose status cannot be had. */
  readonly checkStatus: (credential: Pick<VerifiedCredential, 'status' | 'issuerKey'>) => Promise<void>
  /** Pays for what the size of a presentation or of the request can make expensive. */
  readonly work: Work
}

/** What a presented credential says of its subject. */
export interface CredentialContent {
  /** `vct` of an SD-JWT VC, `type` of a W3C credential, doctype of a mobile document. */
  readonly type: string[]
  readonly subject?: string
  /** The claims that were disclosed; those of several subjects in an array. */
  readonly claims: Record<string, unknown> | Record<string, unknown>[]
  /** What the request said of keeping elements of a mobile document, by namespace and element (OpenID4VP 1.0 Appendix B.2.4). */
  readonly intentToRetain?: Record<string, Record<string, boolean>>
}

/** A credential that was presented, every check of its format passed. */
export interface PresentedCredential {
  readonly issuer: string
  readonly issuerKey: IssuerKey
  /** The certificate chain that came with it, base64 DER, leaf first (RFC 7515 §4.1.6). Nothing in it is verified. */
  readonly x5c: unknown
  /** Whether its holder's proof was there, and held. */
  readonly holderBound: boolean
  /** What that proof says of transaction data, in formats that have them. Nothing in it is verified. */
  readonly transactionDataHashes?: TransactionDataHashes | undefined
  readonly view: CredentialView
  readonly content: CredentialContent
}

/** The error for a credential that is bound to no holder key. */
export const notBound = () =>
  new CredentialError('Credential is not bound to a holder key.', { check: 'holder-binding' })

/** What a verification of one credential answers beside `isValid`: its name for a format, and the members that show a credential. */
export interface FormatAnswer {
  readonly format: string
  readonly members: Readonly<Record<string, z.ZodType>>
}

/** The same for formats that only the verification check by check takes. */
export interface AnswerByCheck extends FormatAnswer {
  /** Whether a text of which nobody says what it is may be one of these: else it is of no supported format. */
  resembles(text: string): boolean
}

/** The verifier's half of a credential format. */
export interface Verifying {
  /** Whether nothing but a certificate chain to TRUST_ANCHORS proves who issued a credential of the format. */
  readonly certifiedOnly: boolean
  /**
   * Verifies one presentation: the credential, the holder's proof and the status.
   *
   * @returns its credential; several where a presentation holds several.
   * @throws CredentialError with a sentence about the first check that fails.
   */
  verifyPresentation(presentation: string, context: PresentationContext): Promise<readonly PresentedCredential[]>
  /** Absent where `POST /credentials/verify`, whose formats the interface names, does not take the format. */
  readonly answer?: FormatAnswer
  /** What the verification check by check answers, where it is the only one that takes the format; else it answers the same. */
  readonly answerByCheck?: AnswerByCheck
  /** Whether a credential as its issuer hands it out looks like one of this format; formats are asked in their order. */
  recognises(compact: string): boolean
  /** Verifies a credential as its issuer hands it out. @throws CredentialError with a sentence about the first check that fails. */
  verify(compact: string, options: VerifyOptions): Promise<VerifiedCredential>
}
