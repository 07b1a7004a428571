/**
 * The number of entries in this service's lists: the W3C's minimum, 16 KiB of bits (Bitstring Status List v1.0 §3.2,
 * minimumNumberOfEntries).
 */
export const STATUS_LIST_SIZE = 131_072

/** Bits that one Token Status List entry may have (Token Status List §4.1). */
export const TOKEN_STATUS_BITS = [1, 2, 4, 8] as const
export type TokenStatusBits = (typeof TOKEN_STATUS_BITS)[number]

/**
 * The bytes of a Bitstring Status List of `size` entries of one bit: index 0 is the left-most, most significant bit of byte 0
 * (Bitstring Status List v1.0 §2.2, encodedList).
 *
 * @throws RangeError if `size` is no positive multiple of 8, or an index is outside the list.
 */
export function bitstringBytes(setIndices: Iterable<number>, size: number): Uint8Array {
  return bytesWith(setIndices, size, (index) => 0x80 >> (index & 7))
}

/**
 * The bytes of a Token Status List of `size` entries of one bit: index 0 is the least significant bit of byte 0
 * (Token Status List §4.1).
 *
 * @throws RangeError like `bitstringBytes`.
 */
export function tokenStatusBytes(setIndices: Iterable<number>, size: number): Uint8Array {
  return bytesWith(setIndices, size, (index) => 1 << (index & 7))
}

/** Indices of a list whose credentials can be suspended. */
export interface SuspendableIndices {
  readonly revokedIndices: Iterable<number>
  readonly suspendedIndices: Iterable<number>
}

/**
 * The bytes of a Token Status List of `size` entries of two bits (Token Status List §4.1). A revoked index has the value 1
 * (INVALID, §7.1), and a suspended index has the value 2 (SUSPENDED). An index that is both is revoked.
 *
 * @throws RangeError like `bitstringBytes`.
 */
export function suspendableStatusBytes(
  { revokedIndices, suspendedIndices }: SuspendableIndices,
  size: number,
): Uint8Array {
  const revoked = new Set(revokedIndices)
  const bits = [...revoked].map((index) => index * 2)
  for (const index of suspendedIndices) if (!revoked.has(index)) bits.push(index * 2 + 1)
  return tokenStatusBytes(bits, size * 2)
}

/** The value of one entry of `bits` bits in a Bitstring Status List; undefined if the list ends before it. */
export function bitstringValue(bytes: Uint8Array, index: number, bits: number): number | undefined {
  const first = index * bits
  if (first + bits > bytes.length * 8) return undefined
  let value = 0
  for (let bit = first; bit < first + bits; bit++) {
    const byte = bytes[bit >> 3] ?? 0
    value = value * 2 + ((byte >> (7 - (bit & 7))) & 1)
  }
  return value
}

/** The value of one entry in a Token Status List; undefined if the list ends before it. */
export function tokenStatusValue(bytes: Uint8Array, index: number, bits: TokenStatusBits): number | undefined {
  const perByte = 8 / bits
  const byte = bytes[Math.floor(index / perByte)]
  if (byte === undefined) return undefined
  return (byte >> ((index % perByte) * bits)) & ((1 << bits) - 1)
}

function bytesWith(setIndices: Iterable<number>, size: number, maskOf: (index: number) => number): Uint8Array {
  if (!Number.isInteger(size) || size <= 0 || size % 8 !== 0) {
    throw new RangeError('The size of a status list is a positive multiple of 8.')
  }
  const bytes = new Uint8Array(size / 8)
  for (const index of setIndices) {
    if (!Number.isInteger(index) || index < 0 || index >= size) {
      throw new RangeError(`Status list index ${index} lies outside of the list.`)
    }
    const at = index >> 3
    bytes[at] = (bytes[at] ?? 0) | maskOf(index)
  }
  return bytes
}
