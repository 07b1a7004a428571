import { CredentialError, type TokenStatusReference } from '../credential/verification.js'
import { decodeBase64url } from '../jose/base64url.js'
import { type Jwk, thumbprint } from '../jose/jws.js'
import type { Work } from '../work.js'
import { type DecodeOptions, decodeCbor, ElementBudget, MAX_CBOR_BYTES } from './cbor/decode.js'
import type { CborValue } from './cbor/values.js'
import { algOf, x5cOf } from './cose/sign1.js'
import { type IssuerSigned, readIssuerSigned } from './issuer-signed.js'
import type { ValidityInfo } from './mobile-security-object.js'
import { jsonOf } from './values.js'

/**
 * Data elements as JSON (RFC 8949 §6.1), by namespace and element identifier. Byte strings are base64url, dates are
 * text.
 */
export type MdocClaims = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** The content of a mobile document. */
export interface MdocContent {
  readonly doctype: string
  readonly claims: MdocClaims
  readonly status: TokenStatusReference | undefined
  readonly validityInfo: ValidityInfo
  /** The holder's key. */
  readonly deviceKey: Jwk
  /** SHA-256 thumbprint of the key (RFC 7638), base64url. */
  readonly deviceKeyThumbprint: string
  /** The certificate chain in the document, base64 DER, leaf first; undefined if there is none. */
  readonly x5c: readonly string[] | undefined
}

/**
 * Reads a mobile document for its holder. The holder verified it on receipt, so it is not verified again.
 *
 * @param issuerSigned base64url of the encoded IssuerSigned
 * @throws CredentialError if it is malformed.
 */
export function readMdoc(issuerSigned: string): MdocContent {
  const { value, decoding } = decodeCredential(issuerSigned)
  return contentOf(readIssuerSigned(value, decoding))
}

/**
 * The `alg` header of the issuer's signature, a COSE number.
 *
 * @param issuerSigned as for `readMdoc`
 * @throws CredentialError when it is malformed.
 */
export function issuerAlgorithmOf(issuerSigned: string): unknown {
  const { value, decoding } = decodeCredential(issuerSigned)
  return algOf(readIssuerSigned(value, decoding).issuerAuth)
}

/** Cost of decoding base64url and CBOR, and of the digests. */
const UNITS_OF_A_CHARACTER = 0.5

/**
 * Decodes the base64url form of a credential or presentation. Items encoded within it share its limits. Throws CredentialError.
 *
 * @param work the budget for decoding and for every element; absent if a holder reads its own documents
 */
export function decodeCredential(text: string, work?: Work): { value: CborValue; decoding: DecodeOptions } {
  work?.spend(text.length * UNITS_OF_A_CHARACTER)
  const tooLong = text.length > (MAX_CBOR_BYTES * 4) / 3 + 4
  const bytes = tooLong ? undefined : decodeBase64url(text)
  if (bytes === undefined) throw new CredentialError(`Credential is ${tooLong ? 'too long' : 'not base64url'}.`)
  const decoding = { what: 'Credential', budget: new ElementBudget(work) }
  return { value: decodeCbor(bytes, decoding), decoding }
}

export function contentOf({ mobileSecurityObject, issuerAuth, namespaces }: IssuerSigned): MdocContent {
  const { docType, status, validityInfo, deviceKey } = mobileSecurityObject
  const claims = [...namespaces].map(([namespace, items]) => {
    const elements = items.map(({ identifier, value }) => [identifier, jsonOf(value)] as const)
    return [namespace, Object.fromEntries(elements)] as const
  })
  return {
    doctype: docType,
    claims: Object.fromEntries(claims),
    status,
    validityInfo,
    deviceKey,
    deviceKeyThumbprint: thumbprint(deviceKey),
    x5c: x5cOf(issuerAuth, 'Issuer signature'),
  }
}
