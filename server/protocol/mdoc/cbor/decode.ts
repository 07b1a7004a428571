import { isUtf8 } from 'node:buffer'
import { CredentialError } from '../../credential/verification.js'
import type { Work } from '../../work.js'
import { ARRAY, BYTES, MAP, NEGATIVE, TAG, TEXT, UNSIGNED } from './major-types.js'
import { type CborKey, type CborMap, type CborValue, Tagged } from './values.js'

/** The longest mobile document that is read, in bytes. */
export const MAX_CBOR_BYTES = 1_048_576
const MAX_DEPTH = 32
const MAX_ELEMENTS = 4_096
/** Cost of the most expensive element: an item with a digest to compare. */
const UNITS_OF_AN_ELEMENT = 50

/** Values of the additional information. A smaller value is the length or the number itself (RFC 8949 §3). */
const ONE_BYTE = 24
const EIGHT_BYTES = 27
const INDEFINITE = 31

const FALSE = 20
const TRUE = 21
const NULL = 22
const UNDEFINED = 23
const HALF = 25
const SINGLE = 26
const DOUBLE = 27

/**
 * Budget of array elements and map pairs that may still be read. All items that are encoded within one document share
 * it.
 */
export class ElementBudget {
  readonly #work: Work | undefined
  #left: number

  /**
   * @param work the budget for the elements
   * @param max how many elements there may be; 4,096 by default
   */
  constructor(
    work?: Work,
    readonly max = MAX_ELEMENTS,
  ) {
    this.#work = work
    this.#left = max
  }

  /** Subtracts elements from the budget; returns whether enough elements were left. */
  take(count: number): boolean {
    this.#left -= count
    if (this.#left < 0) return false
    this.#work?.spend(count * UNITS_OF_AN_ELEMENT)
    return true
  }
}

export interface DecodeOptions {
  /** Name of the item in error messages: "Credential". */
  readonly what: string
  readonly budget?: ElementBudget
  readonly maxBytes?: number
}

/**
 * Decodes one untrusted CBOR data item (RFC 8949): at most 1 MiB, 32 levels and 4,096 elements. Refused are indefinite
 * lengths, duplicate map keys, keys that are neither text nor integers, and bytes after the item. Byte strings are
 * views of the input.
 *
 * @throws CredentialError with a sentence that names the fault and no content.
 */
export function decodeCbor(bytes: Uint8Array, options: DecodeOptions): CborValue {
  return new Reader(bytes, options).readAll()
}

const sources = new WeakMap<object, Uint8Array>()

/** The encoded bytes, unchanged, of a decoded array, map or tagged item; undefined for any other value. */
export function sourceOf(value: unknown): Uint8Array | undefined {
  return typeof value === 'object' && value !== null ? sources.get(value) : undefined
}

class Reader {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  readonly #what: string
  readonly #budget: ElementBudget
  #at = 0

  constructor(bytes: Uint8Array, { what, budget = new ElementBudget(), maxBytes = MAX_CBOR_BYTES }: DecodeOptions) {
    this.#what = what
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#budget = budget
    if (bytes.length > maxBytes) throw this.#refusal(`longer than ${maxBytes} bytes`)
  }

  readAll(): CborValue {
    const value = this.#item(0)
    if (this.#at < this.#bytes.length) throw this.#refusal('bytes stand behind it')
    return value
  }

  #refusal(reason: string): CredentialError {
    return new CredentialError(`${this.#what} is not acceptable CBOR: ${reason}.`)
  }

  #item(depth: number): CborValue {
    const start = this.#at
    this.#skip(1)
    const initial = this.#bytes[start] ?? 0
    const major = initial >> 5
    const info = initial & 0x1f
    if (info > EIGHT_BYTES) {
      throw this.#refusal(info === INDEFINITE ? 'an indefinite length' : 'a reserved length')
    }
    switch (major) {
      case UNSIGNED:
        return this.#argument(info)
      case NEGATIVE:
        return negative(this.#argument(info))
      case BYTES:
        return this.#take(this.#length(info))
      case TEXT:
        return this.#text(this.#take(this.#length(info)))
      case ARRAY:
        return this.#sourced(this.#array(this.#count(info), this.#deeper(depth)), start)
      case MAP:
        return this.#sourced(this.#map(this.#count(info), this.#deeper(depth)), start)
      case TAG: {
        const tag = this.#length(info)
        return this.#sourced(new Tagged(tag, this.#item(this.#deeper(depth))), start)
      }
      default:
        return this.#simple(info)
    }
  }

  #sourced<Value extends object>(value: Value, start: number): Value {
    sources.set(value, this.#bytes.subarray(start, this.#at))
    return value
  }

  #deeper(depth: number): number {
    if (depth >= MAX_DEPTH) throw this.#refusal(`nested deeper than ${MAX_DEPTH} levels`)
    return depth + 1
  }

  #skip(length: number): void {
    this.#at += length
    if (this.#at > this.#bytes.length) throw this.#refusal('it ends too early')
  }

  #take(length: number): Uint8Array {
    const at = this.#at
    this.#skip(length)
    return this.#bytes.subarray(at, this.#at)
  }

  /** RFC 8949 §3: the argument of an initial byte; a bigint if it exceeds a safe number. */
  #argument(info: number): number | bigint {
    if (info < ONE_BYTE) return info
    const at = this.#at
    const length = 1 << (info - ONE_BYTE)
    this.#skip(length)
    if (length === 1) return this.#view.getUint8(at)
    if (length === 2) return this.#view.getUint16(at)
    if (length === 4) return this.#view.getUint32(at)
    const value = this.#view.getBigUint64(at)
    return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value
  }

  #length(info: number): number {
    const length = this.#argument(info)
    if (typeof length === 'bigint') throw this.#refusal('it ends too early')
    return length
  }

  /** Counts the elements before memory is allocated for them. */
  #count(info: number): number {
    const count = this.#length(info)
    if (!this.#budget.take(count)) throw this.#refusal(`more than ${this.#budget.max} elements`)
    return count
  }

  #text(bytes: Uint8Array): string {
    if (!isUtf8(bytes)) throw this.#refusal('a text is not UTF-8')
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')
  }

  #array(count: number, depth: number): CborValue[] {
    const elements: CborValue[] = []
    for (let index = 0; index < count; index += 1) elements.push(this.#item(depth))
    return elements
  }

  #map(count: number, depth: number): CborMap {
    const pairs = new Map<CborKey, CborValue>()
    for (let index = 0; index < count; index += 1) {
      const key = this.#key(depth)
      if (pairs.has(key)) throw this.#refusal('a map key stands twice')
      pairs.set(key, this.#item(depth))
    }
    return pairs
  }

  /**
   * Reads a map key. The major type decides: a float without a fraction is no integer (RFC 8949 §5.6.1), although
   * JavaScript has one type for both.
   */
  #key(depth: number): CborKey {
    const major = (this.#bytes[this.#at] ?? 0) >> 5
    const key = major === TEXT || major === UNSIGNED || major === NEGATIVE ? this.#item(depth) : undefined
    if (!isKey(key)) throw this.#refusal('a map key is neither text nor an integer')
    return key
  }

  #simple(info: number): CborValue {
    const at = this.#at
    switch (info) {
      case FALSE:
        return false
      case TRUE:
        return true
      case NULL:
        return null
      case UNDEFINED:
        return undefined
      case HALF:
        this.#skip(2)
        return half(this.#view.getUint16(at))
      case SINGLE:
        this.#skip(4)
        return this.#view.getFloat32(at)
      case DOUBLE:
        this.#skip(8)
        return this.#view.getFloat64(at)
      default:
        throw this.#refusal('a simple value that is not known')
    }
  }
}

const isKey = (value: CborValue): value is CborKey =>
  typeof value === 'string' || typeof value === 'bigint' || typeof value === 'number'

const negative = (argument: number | bigint): number | bigint => {
  const value = -1n - BigInt(argument)
  return value >= BigInt(Number.MIN_SAFE_INTEGER) ? Number(value) : value
}

/** RFC 8949 Appendix D: a float of 16 bits. */
function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 0x1f
  const fraction = bits & 0x3ff
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  return sign * (fraction + 1024) * 2 ** (exponent - 25)
}
