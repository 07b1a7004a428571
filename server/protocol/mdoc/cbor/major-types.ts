/** The major types of CBOR data items (RFC 8949 §3.1). */
export const UNSIGNED = 0
export const NEGATIVE = 1
export const BYTES = 2
export const TEXT = 3
export const ARRAY = 4
export const MAP = 5
export const TAG = 6
export const SIMPLE = 7
