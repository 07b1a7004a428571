import type { X509Certificate } from 'node:crypto'
import { encodeBase64url } from '../jose/base64url.js'
import { readExtensions } from './certificate-profile.js'
import { derMembers } from './der.js'

const AUTHORITY_KEY_IDENTIFIER = '551d23'
const TAG_KEY_IDENTIFIER = 0x80

/** The identifier of the key that a certificate was signed with (RFC 5280 §4.2.1.1), base64url; where it holds one. */
export function authorityKeyIdentifier(certificate: X509Certificate): string | undefined {
  const [tbsCertificate] = derMembers(certificate.raw)
  const extension = readExtensions(tbsCertificate).find(({ id }) => id === AUTHORITY_KEY_IDENTIFIER)
  if (extension === undefined) return undefined
  const identifier = derMembers(extension.value).find(({ tag }) => tag === TAG_KEY_IDENTIFIER)
  return identifier === undefined ? undefined : encodeBase64url(identifier.content)
}
