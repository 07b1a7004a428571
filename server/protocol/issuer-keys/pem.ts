import { X509Certificate } from 'node:crypto'

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** Whether a text has the form of PEM (RFC 7468 §5.1). */
export const isPem = (text: string): boolean => text.includes('-----BEGIN CERTIFICATE-----')

/**
 * The certificates of a PEM text, in their order. Blocks of other kinds are left out.
 *
 * @param max the highest number of certificates
 * @throws Error if there is no certificate, if there are too many, or if one is malformed
 */
export function certificatesInPem(text: string, max = Number.POSITIVE_INFINITY): X509Certificate[] {
  const blocks = text.match(CERTIFICATE) ?? []
  if (blocks.length === 0) throw new Error('There is no certificate in the text.')
  if (blocks.length > max) throw new Error(`There are more than ${max} certificates in the text.`)
  return blocks.map((block) => new X509Certificate(block))
}
