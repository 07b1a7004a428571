/**
 * A CBOR data item (RFC 8949 §3). `Other` may replace any item in it. Integers beyond 2^53 are bigints. Integers and
 * floats are not distinguished.
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

/** A decoded item. */
export type CborValue = CborItem<never>
export type CborMap = ReadonlyMap<CborKey, CborValue>

/** An item that can be encoded: a decoded item, or an item that contains encoded items. */
export type Encodable = CborItem<Encoded>

/** A key of a map. Mobile documents and COSE use no other types of keys. */
export type CborKey = string | number | bigint

/** A tagged data item (RFC 8949 §3.4). */
export class Tagged<Value = CborValue> {
  constructor(
    readonly tag: number,
    readonly value: Value,
  ) {}
}

/** An item that is already encoded. It is inserted unchanged into the item that contains it. */
export class Encoded {
  constructor(readonly bytes: Uint8Array) {}
}

export const TAG_DATE_TIME = 0
/** RFC 8949 §3.4.3 */
export const TAG_NEGATIVE_BIGNUM = 3
/** Conversion of bytes to text (RFC 8949 §3.4.5.2). Base64url, tag 21, is the default. */
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
