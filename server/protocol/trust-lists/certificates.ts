import { malformed } from './refusal.js'

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/
const WHITE_SPACE = /\s+/g
const TAG_SEQUENCE = 0x30

/**
 * The DER of a certificate in base64, with or without line breaks. Only its outer form is checked: the certificate is
 * parsed once a chain leads to it. Throws ListRefusedError.
 */
export function decodeBase64(value: unknown, place: string): Uint8Array {
  const text = typeof value === 'string' ? value.replace(WHITE_SPACE, '') : undefined
  if (text === undefined || !BASE64.test(text) || text.length % 4 !== 0) throw malformed(place, 'must be base64')
  return certificateAt(Buffer.from(text, 'base64'), place)
}

/** The DER of a certificate: one SEQUENCE and nothing behind it. Throws ListRefusedError. */
export function certificateAt(der: Uint8Array, place: string): Uint8Array {
  if (isSequence(der)) return der
  throw malformed(place, 'is no certificate in DER form')
}

function isSequence(der: Uint8Array): boolean {
  const [tag, first = 0] = der
  if (tag !== TAG_SEQUENCE) return false
  if (first < 0x80) return der.length === 2 + first
  const count = first & 0x7f
  if (count === 0 || count > 3) return false
  const length = der.subarray(2, 2 + count).reduce((sum, octet) => sum * 256 + octet, 0)
  return der.length === 2 + count + length
}
