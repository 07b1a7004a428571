import type { X509Certificate } from 'node:crypto'
import { isAllowedSignature } from './certificate-signature.js'
import { type DerElement, derElements, derMembers } from './der.js'

/**
 * Facts that decide whether a certificate may be part of a path (RFC 5280 §6.1). X509Certificate of Node.js does not
 * offer them.
 */
export interface CertificateProfile {
  /** Whether the certificate is signed with an allowed algorithm. */
  allowedSignature: boolean
  /**
   * How many further CA certificates may follow below this certificate (RFC 5280 §4.2.1.9); undefined for any number.
   */
  pathLength: number | undefined
  /** Whether the key may make signatures: `keyUsage` is absent or contains digitalSignature (RFC 5280 §4.2.1.3). */
  maySign: boolean
  /** Whether the key may sign what its owner stands for: `keyUsage` contains nonRepudiation (contentCommitment). */
  mayCommit: boolean
  /** Whether the key may sign certificates: `keyUsage` contains keyCertSign, which authorities must state (RFC 5280 §4.2.1.3). */
  mayCertify: boolean
  /** Object identifiers of `extendedKeyUsage` as hexadecimal DER content; undefined if it is absent. */
  purposes: readonly string[] | undefined
  /**
   * Whether the certificate has a critical extension that is not processed here. The value is also true for name
   * constraints, even if they are not critical.
   */
  unsupportedExtension: boolean
}

const BASIC_CONSTRAINTS = '551d13'
const KEY_USAGE = '551d0f'
const NAME_CONSTRAINTS = '551d1e'
const EXTENDED_KEY_USAGE = '551d25'
// Extensions that are processed here or by X509Certificate, or that do not affect the path: basicConstraints, keyUsage,
// subjectAltName, extKeyUsage, certificatePolicies.
const PROCESSED = new Set([BASIC_CONSTRAINTS, KEY_USAGE, '551d11', EXTENDED_KEY_USAGE, '551d20'])

const TAG_BOOLEAN = 0x01
const TAG_INTEGER = 0x02
const TAG_EXTENSIONS = 0xa3
const DIGITAL_SIGNATURE = 0x80
const NON_REPUDIATION = 0x40
const KEY_CERT_SIGN = 0x04

/** Reads a certificate's profile from its DER (RFC 5280 §4.1). Throws RangeError for a malformed structure. */
export function certificateProfile(certificate: X509Certificate): CertificateProfile {
  const [tbsCertificate, signatureAlgorithm] = derMembers(certificate.raw)
  const extensions = readExtensions(tbsCertificate)
  const find = (wanted: string) => extensions.find(({ id }) => id === wanted)?.value
  const keyUsage = keyUsageBits(find(KEY_USAGE))
  return {
    allowedSignature: isAllowedSignature(signatureAlgorithm),
    pathLength: pathLengthOf(find(BASIC_CONSTRAINTS)),
    maySign: keyUsage === undefined || (keyUsage & DIGITAL_SIGNATURE) !== 0,
    mayCommit: keyUsage !== undefined && (keyUsage & NON_REPUDIATION) !== 0,
    mayCertify: keyUsage !== undefined && (keyUsage & KEY_CERT_SIGN) !== 0,
    purposes: purposesOf(find(EXTENDED_KEY_USAGE)),
    unsupportedExtension: extensions.some(
      ({ id, critical }) => id === NAME_CONSTRAINTS || (critical && !PROCESSED.has(id)),
    ),
  }
}

export interface Extension {
  /** The object identifier as hexadecimal DER content. */
  id: string
  critical: boolean
  value: Uint8Array
}

/**
 * `Extension ::= SEQUENCE { extnID OBJECT IDENTIFIER, critical BOOLEAN DEFAULT FALSE, extnValue OCTET STRING }` (RFC
 * 5280 §4.1).
 */
export function readExtensions(tbsCertificate: DerElement | undefined): Extension[] {
  const tagged = derElements(tbsCertificate?.content ?? new Uint8Array(0)).find(({ tag }) => tag === TAG_EXTENSIONS)
  if (tagged === undefined) return []
  return derMembers(tagged.content).map(({ content }) => {
    const members = derElements(content)
    return {
      id: hex(members[0]?.content),
      critical: members.some(({ tag, content: value }) => tag === TAG_BOOLEAN && value[0] !== 0),
      value: members.at(-1)?.content ?? new Uint8Array(0),
    }
  })
}

/**
 * `BasicConstraints ::= SEQUENCE { cA BOOLEAN DEFAULT FALSE, pathLenConstraint INTEGER OPTIONAL }` (RFC 5280 §4.2.1.9).
 */
function pathLengthOf(basicConstraints: Uint8Array | undefined): number | undefined {
  if (basicConstraints === undefined) return undefined
  const length = derMembers(basicConstraints).find(({ tag }) => tag === TAG_INTEGER)
  return length === undefined ? undefined : Number.parseInt(hex(length.content), 16)
}

/**
 * `KeyUsage ::= BIT STRING`: after the count of unused bits, digitalSignature is the first bit.
 */
function keyUsageBits(keyUsage: Uint8Array | undefined): number | undefined {
  return keyUsage === undefined ? undefined : (derElements(keyUsage)[0]?.content[1] ?? 0)
}

/**
 * `ExtKeyUsageSyntax ::= SEQUENCE SIZE (1..MAX) OF KeyPurposeId` (RFC 5280 §4.2.1.12).
 */
function purposesOf(extendedKeyUsage: Uint8Array | undefined): readonly string[] | undefined {
  return extendedKeyUsage === undefined ? undefined : derMembers(extendedKeyUsage).map(({ content }) => hex(content))
}

function hex(octets: Uint8Array | undefined): string {
  return Buffer.from(octets ?? []).toString('hex')
}
