/** One DER element (X.690 §8.1): its tag octet and its content. */
export interface DerElement {
  tag: number
  content: Uint8Array
}

/**
 * Reads the DER elements in the octets; throws RangeError if the octets are not DER. Supports only the DER of
 * certificates that OpenSSL has already parsed: tags of one octet, definite lengths.
 */
export function derElements(octets: Uint8Array): DerElement[] {
  const elements: DerElement[] = []
  for (let offset = 0; offset < octets.length; ) {
    const { start, length } = contentOf(octets, offset)
    if (start + length > octets.length) throw new RangeError('A DER element is longer than what holds it.')
    elements.push({ tag: octets[offset] ?? 0, content: octets.subarray(start, start + length) })
    offset = start + length
  }
  return elements
}

/** The elements of the first DER element, such as the members of a SEQUENCE. */
export function derMembers(octets: Uint8Array): DerElement[] {
  const [sequence] = derElements(octets)
  return sequence === undefined ? [] : derElements(sequence.content)
}

/** Writes a DER element (X.690 §8.1) whose content is the given parts. */
export function encodeDer(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), content])
}

/** X.690 §8.1.3: one octet for a short length, or the count of the octets of a long length and these octets. */
function lengthOf(length: number): readonly number[] {
  if (length < 0x80) return [length]
  const octets: number[] = []
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) octets.unshift(rest % 256)
  return [0x80 | octets.length, ...octets]
}

function contentOf(octets: Uint8Array, offset: number): { start: number; length: number } {
  const first = octets[offset + 1] ?? 0x80
  if (first < 0x80) return { start: offset + 2, length: first }
  const count = first & 0x7f
  if (count === 0 || count > 4) throw new RangeError('A DER length is malformed.')
  let length = 0
  for (let index = 0; index < count; index += 1) length = length * 256 + (octets[offset + 2 + index] ?? 0)
  return { start: offset + 2 + count, length }
}
