import type { X509Certificate } from 'node:crypto'
import { encodeBase64url } from '../jose/base64url.js'
import { readExtensions } from './certificate-profile.js'
import { derMembers } from './der.js'
import { IssuerKeyError } from './issuer-key-error.js'

const AUTHORITY_KEY_IDENTIFIER = '551d23'
const TAG_KEY_IDENTIFIER = 0x80

/**
 * The identifier of the key that a certificate was signed with (RFC 5280 §4.2.1.1), base64url; undefined if the
 * certificate has no such identifier. Throws IssuerKeyError if the extension is malformed.
 */
export function authorityKeyIdentifier(certificate: X509Certificate): string | undefined {
  const identifier = keyIdentifierOf(certificate)
  return identifier === undefined ? undefined : encodeBase64url(identifier)
}

function keyIdentifierOf(certificate: X509Certificate): Uint8Array | undefined {
  try {
    const [tbsCertificate] = derMembers(certificate.raw)
    const extension = readExtensions(tbsCertificate).find(({ id }) => id === AUTHORITY_KEY_IDENTIFIER)
    return extension && derMembers(extension.value).find(({ tag }) => tag === TAG_KEY_IDENTIFIER)?.content
  } catch (cause) {
    throw new IssuerKeyError('A certificate of the chain is malformed.', { cause })
  }
}
