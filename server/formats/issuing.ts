import type { BitstringStatusListEntry, TokenStatusReference } from '../protocol/credential/verification.js'
import type { SignatureAlgorithm } from '../protocol/jose/algorithms.js'
import type { Jwk, Signer } from '../protocol/jose/jws.js'
import type { JsonObject } from '../protocol/json/json-object.js'
import type { ClaimName, ClaimPath } from '../protocol/json-schema/declared-claims.js'
import type { MdocMapping } from '../protocol/mdoc/elements.js'
import type { ProvenKey } from '../protocol/openid4vci/key-proof.js'
import type { Work } from '../protocol/work.js'

/** The configuration values of an installation that formats use. */
export interface Installation {
  readonly issuerBaseUrl: string
  /** Name of the issuer in an SD-JWT VC: the issuer's DID, or the base URL. */
  readonly sdJwtIssuer: 'did' | 'url'
}

/** The holder that a credential is bound to. Without both members, the credential has no holder. */
export interface Binding {
  /** A DID or other URI: `sub`, `credentialSubject.id`. */
  readonly subjectId?: string | undefined
  /** The holder's public key, or its absolute DID URL: `cnf`. */
  readonly holderKey?: Jwk | { readonly kid: string } | undefined
}

/** A credential type (one version of a schema) with the facts that formats need. */
export interface IssuedType {
  readonly name: string
  /**
   * Dotted paths of the claims that the holder may withhold; null if the holder may withhold every claim of the
   * subject.
   */
  readonly selectivelyDisclosable: readonly string[] | null
  /** JSON Schema of the subject. */
  readonly body: JsonObject
  /** Content of a mobile document of the type; null if the type has no mobile documents. */
  readonly mdoc: MdocMapping | null
}

/** Facts that decide whether a type can be issued in a format. */
export interface Issuability {
  /** Whether the type defines the content of a mobile document. */
  readonly asMdoc: boolean
  /** Whether the signing key has a certificate. */
  readonly certified: boolean
}

/** One claim of a type, as metadata describe it. */
export interface ClaimDescription {
  /** Claims path (OpenID4VCI 1.0 Appendix C). */
  readonly path: ClaimPath
  /** One name for each language; empty if the type gives none. */
  readonly display: readonly ClaimName[]
  /** Whether the parent of the claim always contains the claim. */
  readonly mandatory: boolean
}

/** The complete input for signing a credential. */
export interface SigningRequest {
  /** Its `kid` is the DID URL of the issuer's key. A short-lived document signer has the `kid` of the key that vouches for it. */
  readonly signer: Signer
  readonly issuerDid: string
  /** The certificate chain of the signer, leaf first, each base64 DER; null without a certificate. */
  readonly x5c: readonly string[] | null
  readonly installation: Installation
  readonly type: IssuedType
  /** `credentialSchema` of a W3C credential. */
  readonly schema: { readonly id: string; readonly type: string }
  readonly subject: JsonObject
  readonly binding: Binding
  /** A UUID, different for each credential. */
  readonly id: string
  /**
   * The credential's entry in its status list, once for each of the two formats in which the list is published. The Bitstring
   * format has one entry for each purpose.
   */
  readonly status: {
    readonly token: TokenStatusReference
    readonly bitstring: readonly (BitstringStatusListEntry & { readonly id: string })[]
  }
  /** In whole seconds, like `expiresAt`. */
  readonly issuedAt: Date
  /** The beginning of the validity, if it is later than `issuedAt`. */
  readonly validFrom?: Date
  readonly expiresAt?: Date
  /** The time of signing. In copies for wallets, `issuedAt` is earlier than this time. */
  readonly now: Date
  /** A cryptographically secure source. */
  readonly randomBytes: (length: number) => Uint8Array
}

export interface SignedCredential {
  /** The credential as it is issued. */
  readonly compact: string
  /** The API's credential object, including the proof; undefined if the format has no such object. */
  readonly vc: unknown
}

/** The functions of a credential format that issuers need. */
export interface Issuing {
  /**
   * The suffix that is added to the name of a schema to make the id of the schema's credential configuration. It is a
   * hyphen and a name, or empty for the default format.
   */
  readonly configurationSuffix: string
  /** The format's name with its article, for use in a sentence. */
  readonly title: string
  /** Whether wallets of drafts receive offers of the format. */
  readonly drafts: boolean
  /** The binding methods in metadata (OpenID4VCI 1.0 §12.2.4), if the format cannot use all methods. */
  readonly bindingMethods?: readonly string[]
  /**
   * The purpose of the certificates that credentials of the format carry: mobile documents, or tokens. Absent if credentials carry no
   * certificates.
   */
  readonly chain?: 'mdoc' | 'token'
  /** Whether each credential needs a holder's key. */
  readonly needsHolder: boolean
  /**
   * Returns what a type lacks to be issued in the format, as a part of an error message. Undefined if nothing is
   * missing.
   */
  lacks(of: Issuability): string | undefined
  /** Names that a claim at the top level of a subject must not have, since the format itself uses them. */
  readonly reservedClaims: ReadonlySet<string>
  /**
   * Checks that the format can express a subject.
   *
   * @param work the budget for the check
   * @throws CredentialError that names the claim.
   */
  checkSubject(subject: JsonObject, type: IssuedType, work: Work): void | Promise<void>
  /**
   * Checks that a credential of the format can be bound to a key. Absent if it can be bound to every key. @throws
   * CredentialError
   */
  checkHolderKey?(key: Jwk): Promise<void>
  /**
   * Selects the algorithms whose keys a credential of the format can be bound to. Absent if it can be bound to every
   * key.
   */
  proofAlgorithms?(names: readonly SignatureAlgorithm[]): Promise<readonly SignatureAlgorithm[]>
  /** `credential_signing_alg_values_supported`, if its values are not the JOSE names of the algorithms. */
  signingAlgorithms?(names: readonly string[]): Promise<readonly unknown[]>
  /** Members of a credential configuration that name its type (OpenID4VCI 1.0 Appendix A). */
  typeMembers(type: Pick<IssuedType, 'name' | 'mdoc'>, installation: Installation): JsonObject
  /** Converts the claims of a subject to claims of the credential, by changing their paths. */
  claimsOf(claims: readonly ClaimDescription[], type: IssuedType): readonly ClaimDescription[]
  /**
   * Returns the binding of a wallet's copy to the key that the wallet has proven.
   *
   * @param subjectId the subject, if the offering names it.
   */
  bindingTo(key: ProvenKey, subjectId: string | undefined): Binding
  /** @throws CredentialError for content that the format cannot express. */
  sign(request: SigningRequest): Promise<SignedCredential>
}
