import type { BitstringStatusListEntry, TokenStatusReference } from '../protocol/credential/verification.js'
import type { Jwk, Signer } from '../protocol/jose/jws.js'
import type { JsonObject } from '../protocol/json/json-object.js'
import type { ProvenKey } from '../protocol/openid4vci/key-proof.js'

/** What formats take from the configuration. */
export interface Installation {
  readonly issuerBaseUrl: string
  /** Whether an SD-JWT VC names its issuer by the issuer's DID or by the base URL. */
  readonly sdJwtIssuer: 'did' | 'url'
}

/** Whom a credential is bound to. Neither: a credential without a holder. */
export interface Binding {
  /** A DID or other URI: `sub`, `credentialSubject.id`. */
  readonly subjectId?: string | undefined
  /** The holder's public key, or the absolute DID URL of it: `cnf`. */
  readonly holderKey?: Jwk | { readonly kid: string } | undefined
}

/** What a format must know of a type: a version of a schema. */
export interface IssuedType {
  readonly name: string
  /** Dotted paths of the claims that may be withheld; null for each claim of the subject. */
  readonly selectivelyDisclosable: readonly string[] | null
}

/** All that a credential is signed from. */
export interface SigningRequest {
  /** Its `kid` is the DID URL of the issuer's key. */
  readonly signer: Signer
  readonly issuerDid: string
  /** The certificate chain of the issuer's key, leaf first, each base64 DER; null without a certificate. */
  readonly x5c: readonly string[] | null
  readonly installation: Installation
  readonly type: IssuedType
  /** `credentialSchema` of a W3C credential. */
  readonly schema: { readonly id: string; readonly type: string }
  readonly subject: JsonObject
  readonly binding: Binding
  /** A UUID, no other credential's. */
  readonly id: string
  /** One and the same entry of one list, in both forms in which the list is published. */
  readonly status: {
    readonly token: TokenStatusReference
    readonly bitstring: BitstringStatusListEntry & { readonly id: string }
  }
  /** In whole seconds, as is `expiresAt`. */
  readonly issuedAt: Date
  readonly expiresAt?: Date
  /** A cryptographically secure source. */
  readonly randomBytes: (length: number) => Uint8Array
}

export interface SignedCredential {
  /** As it is handed out. */
  readonly compact: string
  /** The API's credential object, with the proof in it; undefined where the format has none of its own. */
  readonly vc: unknown
}

/** The issuer's half of a credential format. */
export interface Issuing {
  /**
   * What follows the name of a schema in the id of its credential configuration: a hyphen and more, or nothing for the
   * default format.
   */
  readonly configurationSuffix: string
  /** The format in a sentence, with its article. */
  readonly title: string
  /** Names at the top of a subject that the format keeps for itself. */
  readonly reservedClaims: ReadonlySet<string>
  /**
   * Makes sure that the format can carry a subject.
   *
   * @throws CredentialError that names the claim.
   */
  checkSubject(subject: JsonObject): void
  /** Members of a credential configuration that say which type it is of (OpenID4VCI 1.0 Appendix A). */
  typeMembers(type: IssuedType, installation: Installation): JsonObject
  /** Where a claim of the subject stands in the credential (OpenID4VCI 1.0 Appendix C); undefined where it is no claim there. */
  claimPath(path: readonly string[], type: IssuedType): readonly string[] | undefined
  /**
   * How a wallet's copy is bound to the key that the wallet has proven.
   *
   * @param subjectId who the subject is, where the offering says so.
   */
  bindingTo(key: ProvenKey, subjectId: string | undefined): Binding
  /** @throws CredentialError for what the format cannot carry. */
  sign(request: SigningRequest): Promise<SignedCredential>
}
