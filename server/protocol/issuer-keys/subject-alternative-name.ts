import type { X509Certificate } from 'node:crypto'

/** The names of a certificate's subjectAltName (RFC 5280 §4.2.1.6) that can identify an issuer. */
export interface SubjectAlternativeNames {
  /** dNSName entries. */
  dns: string[]
  /** uniformResourceIdentifier entries: https URLs or DIDs. */
  uri: string[]
}

// Node prints the entries as `TYPE:value`, joined by `, `; a value that could be mistaken for several entries is a JSON
// string.
const ENTRY = /(?<type>[^:",]+):(?:(?<quoted>"(?:[^"\\]|\\.)*")|(?<plain>[^",]*))(?:, |$)/y

/**
 * Reads the names. If any part of the list cannot be read, the whole list counts as empty, so that a part of a name's
 * value is never read as a separate name.
 */
export function subjectAlternativeNames(certificate: Pick<X509Certificate, 'subjectAltName'>): SubjectAlternativeNames {
  const text = certificate.subjectAltName ?? ''
  const names: SubjectAlternativeNames = { dns: [], uri: [] }
  const pattern = new RegExp(ENTRY)
  while (pattern.lastIndex < text.length) {
    const { type, quoted, plain } = pattern.exec(text)?.groups ?? {}
    if (type === undefined) return { dns: [], uri: [] }
    const value = quoted === undefined ? plain : String(JSON.parse(quoted))
    if (value !== undefined && type === 'DNS') names.dns.push(value.toLowerCase())
    if (value !== undefined && type === 'URI') names.uri.push(value)
  }
  return names
}
