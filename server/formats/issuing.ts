import type { BitstringStatusListEntry, TokenStatusReference } from '../protocol/credential/verification.js'
import type { SignatureAlgorithm } from '../protocol/jose/algorithms.js'
import type { Jwk, Signer } from '../protocol/jose/jws.js'
import type { JsonObject } from '../protocol/json/json-object.js'
import type { ClaimName, ClaimPath } from '../protocol/json-schema/declared-claims.js'
import type { MdocMapping } from '../protocol/mdoc/elements.js'
import type { ProvenKey } from '../protocol/openid4vci/key-proof.js'
import type { Work } from '../protocol/work.js'

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
  /** JSON Schema of the subject. */
  readonly body: JsonObject
  /** What a mobile document of the type holds; null where there are none. */
  readonly mdoc: MdocMapping | null
}

/** What decides whether a type is issued in a format. */
export interface Issuability {
  /** Whether the type says what a mobile document of it holds. */
  readonly asMdoc: boolean
  /** Whether the key that signs has a certificate. */
  readonly certified: boolean
}

/** One claim of a type, as metadata describe it. */
export interface ClaimDescription {
  /** Claims path (OpenID4VCI 1.0 Appendix C). */
  readonly path: ClaimPath
  /** One name for each language; empty where the type gives none. */
  readonly display: readonly ClaimName[]
  /** Whether what it stands in has it always. */
  readonly mandatory: boolean
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
  /** Copies for wallets are `issuedAt` an earlier moment. */
  readonly now: Date
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
  /** Whether wallets of drafts are offered it. */
  readonly drafts: boolean
  /** How a holder's key is named in metadata (OpenID4VCI 1.0 §12.2.4), where it is in one way alone. */
  readonly bindingMethods?: readonly string[]
  /** Whether there is none without a holder's key. */
  readonly needsHolder: boolean
  /** What is missing for a type to be issued in the format, as a refusal says it; undefined where nothing is. */
  lacks(of: Issuability): string | undefined
  /** Names at the top of a subject that the format keeps for itself. */
  readonly reservedClaims: ReadonlySet<string>
  /**
   * Makes sure that the format can carry a subject.
   *
   * @param work pays for it
   * @throws CredentialError that names the claim.
   */
  checkSubject(subject: JsonObject, type: IssuedType, work: Work): void | Promise<void>
  /** Makes sure that the format can be bound to a key, where it cannot be to each. @throws CredentialError */
  checkHolderKey?(key: Jwk): Promise<void>
  /** Of the algorithms of key proofs those whose keys it can be bound to, where it cannot be to each (`checkHolderKey`). */
  proofAlgorithms?(names: readonly SignatureAlgorithm[]): Promise<readonly SignatureAlgorithm[]>
  /** `credential_signing_alg_values_supported`, where they are not JOSE's names of the algorithms. */
  signingAlgorithms?(names: readonly string[]): Promise<readonly unknown[]>
  /** Members of a credential configuration that say which type it is of (OpenID4VCI 1.0 Appendix A). */
  typeMembers(type: Pick<IssuedType, 'name' | 'mdoc'>, installation: Installation): JsonObject
  /** The claims of a type where they stand in the credential, of those of its subject. */
  claimsOf(claims: readonly ClaimDescription[], type: IssuedType): readonly ClaimDescription[]
  /**
   * How a wallet's copy is bound to the key that the wallet has proven.
   *
   * @param subjectId who the subject is, where the offering says so.
   */
  bindingTo(key: ProvenKey, subjectId: string | undefined): Binding
  /** @throws CredentialError for what the format cannot carry. */
  sign(request: SigningRequest): Promise<SignedCredential>
}
