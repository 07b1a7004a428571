import { ARRAY, BYTES, MAP, NEGATIVE, SIMPLE, TAG, TEXT, UNSIGNED } from './major-types.js'
import { type Encodable, Encoded, TAG_ENCODED_CBOR, Tagged } from './values.js'

const MAX_UINT32 = 0xffff_ffff

const MAX_HEAD = 9
/** Length of the head of an item of 24 to 255 bytes. Most data elements of a mobile document have this size. */
const USUAL_HEAD = 2

/**
 * Encodes a data item with definite lengths and the shortest heads (RFC 8949 §4.2.1); maps keep their order. A safe integer
 * becomes an integer. Every other number becomes a float of 64 bits.
 *
 * @throws RangeError for integers beyond 64 bits.
 */
export function encodeCbor(value: Encodable): Uint8Array {
  const writer = new Writer()
  writer.item(value)
  return writer.written()
}

/** Encodes a data item as a byte string under tag 24 (RFC 8949 §3.4.5.1): `#6.24(bstr .cbor item)`. */
export function encodeEmbedded(value: Encodable): Uint8Array {
  const writer = new Writer()
  writer.embedded(value)
  return writer.written()
}

class Writer {
  #buffer = Buffer.allocUnsafe(512)
  #length = 0

  written(): Uint8Array {
    return this.#buffer.subarray(0, this.#length)
  }

  /** Writes the item first, and then inserts the item's length before it. */
  embedded(value: Encodable): void {
    this.#head(TAG, TAG_ENCODED_CBOR)
    const at = this.#length
    this.#reserve(MAX_HEAD)
    this.#length += USUAL_HEAD
    this.item(value)
    const end = this.#length
    const length = end - at - USUAL_HEAD
    const head = headLength(length)
    this.#reserve(MAX_HEAD)
    if (head !== USUAL_HEAD) this.#buffer.copyWithin(at + head, at + USUAL_HEAD, end)
    this.#length = at
    this.#head(BYTES, length)
    this.#length += length
  }

  item(value: Encodable): void {
    if (typeof value === 'number' && !Number.isSafeInteger(value)) this.#float(value)
    else if (typeof value === 'number' || typeof value === 'bigint') this.#integer(value)
    else if (typeof value === 'string') this.#text(value)
    else if (typeof value === 'object' && value !== null) this.#object(value)
    else this.#head(SIMPLE, simpleValue(value))
  }

  #object(value: Encodable & object): void {
    if (value instanceof Uint8Array) this.#bytes(value)
    else if (value instanceof Encoded) this.#raw(value.bytes)
    else if (value instanceof Tagged) {
      this.#head(TAG, value.tag)
      this.item(value.value)
    } else if (isArray(value)) {
      this.#head(ARRAY, value.length)
      for (const element of value) this.item(element)
    } else {
      this.#head(MAP, value.size)
      for (const [key, element] of value) {
        this.item(key)
        this.item(element)
      }
    }
  }

  #integer(value: number | bigint): void {
    if (value >= 0) this.#head(UNSIGNED, value)
    else this.#head(NEGATIVE, typeof value === 'bigint' ? -1n - value : -1 - value)
  }

  #float(value: number): void {
    this.#reserve(9)
    this.#buffer[this.#length] = 0xfb
    this.#buffer.writeDoubleBE(value, this.#length + 1)
    this.#length += 9
  }

  #text(value: string): void {
    const length = Buffer.byteLength(value, 'utf8')
    this.#head(TEXT, length)
    this.#reserve(length)
    this.#buffer.write(value, this.#length, 'utf8')
    this.#length += length
  }

  #bytes(value: Uint8Array): void {
    this.#head(BYTES, value.length)
    this.#raw(value)
  }

  #raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#buffer.set(bytes, this.#length)
    this.#length += bytes.length
  }

  #head(major: number, argument: number | bigint): void {
    this.#reserve(MAX_HEAD)
    const type = major << 5
    const at = this.#length
    if (argument < 24) {
      this.#buffer[at] = type | Number(argument)
      this.#length += 1
    } else if (argument <= 0xff) {
      this.#buffer[at] = type | 24
      this.#buffer[at + 1] = Number(argument)
      this.#length += 2
    } else if (argument <= 0xffff) {
      this.#buffer[at] = type | 25
      this.#length = this.#buffer.writeUInt16BE(Number(argument), at + 1)
    } else if (argument <= MAX_UINT32) {
      this.#buffer[at] = type | 26
      this.#length = this.#buffer.writeUInt32BE(Number(argument), at + 1)
    } else {
      this.#buffer[at] = type | 27
      this.#length = this.#buffer.writeBigUInt64BE(BigInt(argument), at + 1)
    }
  }

  #reserve(length: number): void {
    const needed = this.#length + length
    if (needed <= this.#buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2))
    this.#buffer.copy(larger, 0, 0, this.#length)
    this.#buffer = larger
  }
}

/** Length of the head of an item with this argument, in bytes. The argument is at most the length of a buffer. */
function headLength(argument: number): number {
  if (argument < 24) return 1
  if (argument <= 0xff) return 2
  return argument <= 0xffff ? 3 : 5
}

/** RFC 8949 §3.3 */
function simpleValue(value: boolean | null | undefined): number {
  if (value === null) return 22
  if (value === undefined) return 23
  return value ? 21 : 20
}

// Array.isArray does not narrow readonly arrays.
const isArray = (value: object): value is readonly Encodable[] => Array.isArray(value)
