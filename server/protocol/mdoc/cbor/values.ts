/**
 * A CBOR data item (RFC 8949 §3), with `Other` wherever an item may stand. Integers beyond 2^53 are bigints; integers and floats are
 * not told apart.
 */
type CborItem<Other> =
  | number
  | bigint
  | string
  | boolean
  | null
  | undefined
  | Uint8Array
  | Other
  | readonly CborItem<Other>[]
  | ReadonlyMap<CborKey, CborItem<Other>>
  | Tagged<CborItem<Other>>

/** What decoding gives. */
export type CborValue = CborItem<never>
export type CborMap = ReadonlyMap<CborKey, CborValue>

/** What can be encoded: what decoding gives, and items that are encoded already. */
export type Encodable = CborItem<Encoded>

/** Mobile documents and COSE know no others. */
export type CborKey = string | number | bigint

/** A tagged data item (RFC 8949 §3.4). */
export class Tagged<Value = CborValue> {
  constructor(
    readonly tag: number,
    readonly value: Value,
  ) {}
}

/** An item that is encoded already, and stands in another as it is. */
export class Encoded {
  constructor(readonly bytes: Uint8Array) {}
}

export const TAG_DATE_TIME = 0
/** RFC 8949 §3.4.3 */
export const TAG_NEGATIVE_BIGNUM = 3
/** How bytes are to be converted (RFC 8949 §3.4.5.2); base64url, tag 21, is how they are anyway. */
export const TAG_AS_BASE64 = 22
export const TAG_AS_BASE16 = 23
export const TAG_ENCODED_CBOR = 24
/** RFC 8943 §1.1 */
export const TAG_FULL_DATE = 1004

// Array.isArray does not narrow readonly arrays.
export const isArray = (value: unknown): value is readonly CborValue[] => Array.isArray(value)
export const isMap = (value: unknown): value is CborMap => value instanceof Map
export const isBytes = (value: unknown): value is Uint8Array => value instanceof Uint8Array
/** A whole number that is not negative, such as a digest id or an index. */
export const isUnsigned = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0
