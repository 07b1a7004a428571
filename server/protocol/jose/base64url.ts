const ALPHABET = /^[A-Za-z0-9_-]*$/

// Only the leading 2 or 4 bits of the last character carry data. RFC 4648 §3.5 allows a decoder to refuse a text whose
// other bits are not zero.
const LAST_OF_ONE_OCTET = 'AQgw'
const LAST_OF_TWO_OCTETS = 'AEIMQUYcgkosw048'

/**
 * Decodes base64url without padding (RFC 7515 §2). Undefined for padding, foreign characters, an impossible length or
 * non-zero trailing bits. So there is exactly one text for the same octets, and a token cannot be replayed in a
 * different spelling.
 */
export function decodeBase64url(text: string): Uint8Array | undefined {
  if (!ALPHABET.test(text)) return undefined
  const last = text.slice(-1)
  const rest = text.length % 4
  if (rest === 1) return undefined
  if (rest === 2 && !LAST_OF_ONE_OCTET.includes(last)) return undefined
  if (rest === 3 && !LAST_OF_TWO_OCTETS.includes(last)) return undefined
  return Buffer.from(text, 'base64url')
}

/** Encodes octets, or the UTF-8 octets of a string, as base64url without padding. */
export function encodeBase64url(data: Uint8Array | string): string {
  const octets = typeof data === 'string' ? Buffer.from(data, 'utf8') : data
  return Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength).toString('base64url')
}
