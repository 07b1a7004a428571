import { hash } from 'node:crypto'
import { certificateParts } from '../../issuer-keys/certificate-parts.js'
import { derElements, derMembers } from '../../issuer-keys/der.js'

const SUBJECT_KEY_IDENTIFIER = '551d0e'
const AUTHORITY_KEY_IDENTIFIER = '551d23'
const TAG_KEY_IDENTIFIER = 0x80

/** The parts of a certificate by which an index finds it (RFC 5280 §4.1). All are binary texts (latin1) for maps. */
export interface CertificateFacts {
  readonly fingerprint: string
  /** Hash of the public key (`subjectPublicKeyInfo`). */
  readonly key: string
  readonly subject: string
  readonly issuer: string
  readonly subjectKeyId?: string
  readonly authorityKeyId?: string
}

/**
 * Reads the facts from DER without a full parser, because a list may hold thousands of certificates. Undefined for a
 * malformed certificate: no chain can lead to it.
 */
export function factsOf(der: Uint8Array): CertificateFacts | undefined {
  try {
    return readFacts(der)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function readFacts(der: Uint8Array): CertificateFacts | undefined {
  const { issuer, subject, publicKey: key, extensions } = certificateParts(der)
  if (issuer === undefined || subject === undefined || key === undefined) return undefined
  const find = (wanted: string) => extensions.find(({ id }) => id === wanted)?.value
  const subjectKeyId = find(SUBJECT_KEY_IDENTIFIER)
  const authorityKeyId = find(AUTHORITY_KEY_IDENTIFIER)
  const own = subjectKeyId && derElements(subjectKeyId)[0]?.content
  const above = authorityKeyId && derMembers(authorityKeyId).find(({ tag }) => tag === TAG_KEY_IDENTIFIER)?.content
  return {
    fingerprint: hash('sha256', der, 'base64'),
    key: hash('sha256', key.content, 'base64'),
    subject: binary(subject.content),
    issuer: binary(issuer.content),
    ...(own === undefined ? {} : { subjectKeyId: binary(own) }),
    ...(above === undefined ? {} : { authorityKeyId: binary(above) }),
  }
}

/** The hash of a public key in the form of `CertificateFacts.key`, from its `subjectPublicKeyInfo` in DER. */
export const keyHashOf = (spki: Uint8Array): string => hash('sha256', derElements(spki)[0]?.content ?? spki, 'base64')

const binary = (octets: Uint8Array): string =>
  Buffer.from(octets.buffer, octets.byteOffset, octets.length).toString('latin1')
