const SEQUENCE = 0x30
const INTEGER = 0x02

/**
 * Converts an ECDSA signature from DER (RFC 3279 §2.2.3) to its JOSE form: r and s with the full length of the curve's
 * order (RFC 7518 §3.4).
 *
 * @param octets length of r and of s: 32 for P-256, 48 for P-384
 * @returns undefined for anything but strict DER (X.690 §8.3, §10.1) of two positive numbers that fit
 */
export function joseSignatureOf(der: Uint8Array, octets: number): Uint8Array | undefined {
  const sequence = elementAt(der, 0, SEQUENCE)
  if (sequence === undefined || sequence.end !== der.length) return undefined
  const r = elementAt(der, sequence.start, INTEGER)
  const s = r && elementAt(der, r.end, INTEGER)
  if (r === undefined || s === undefined || s.end !== der.length) return undefined
  const numbers = [r, s].map(({ start, end }) => numberOf(der.subarray(start, end), octets))
  return numbers.every((number) => number !== undefined) ? Buffer.concat(numbers) : undefined
}

interface Element {
  readonly start: number
  readonly end: number
}

/** The content of the element at an offset. A signature on P-521 and below needs at most one octet of long length. */
function elementAt(der: Uint8Array, offset: number, tag: number): Element | undefined {
  if (der[offset] !== tag) return undefined
  const first = der[offset + 1] ?? 0xff
  const isLong = first === 0x81
  const length = isLong ? (der[offset + 2] ?? 0) : first
  // DER uses the shortest form of a length.
  if (isLong ? length < 0x80 : length >= 0x80) return undefined
  const start = offset + (isLong ? 3 : 2)
  return start + length <= der.length ? { start, end: start + length } : undefined
}

/** A positive number with leading zeros. DER has one leading zero only if the number would else be negative. */
function numberOf(content: Uint8Array, octets: number): Uint8Array | undefined {
  const [first = 0x80, second = 0] = content
  if (first >= 0x80 || (first === 0 && (content.length === 1 || second < 0x80))) return undefined
  const number = first === 0 ? content.subarray(1) : content
  if (number.length > octets) return undefined
  const padded = Buffer.alloc(octets)
  padded.set(number, octets - number.length)
  return padded
}
