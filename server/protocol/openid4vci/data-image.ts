/** An image in a `data:` URI. */
export interface DataImage {
  /** The media type in lower case, without parameters. */
  readonly type: string
  readonly bytes: Uint8Array
}

/** The types of images that have addresses of their own. Browsers and wallets show them. */
export const SERVED_TYPES = ['image/svg+xml', 'image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const

export const isServed = ({ type }: DataImage): boolean => SERVED_TYPES.some((each) => each === type)

const DATA_IMAGE = /^data:(image\/[a-z\d][a-z\d.+-]*)((?:;[a-z\d-]+=[^;,"\s]+)*)(;base64)?,([^\s]*)$/i
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/

/** Replaces each percent-encoded octet (RFC 3986 §2.1). A percent sign without two digits stays, as in browsers (Fetch, "data: URL"). */
function percentDecoded(text: string): Buffer {
  const octets = Buffer.from(text, 'utf8').toString('latin1')
  const decoded = octets.replace(/%([\da-f]{2})/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  )
  return Buffer.from(decoded, 'latin1')
}

/**
 * Reads a `data:` URI of an image (RFC 2397).
 *
 * @returns undefined if the text is no such URI, its base64 is invalid, or it holds no octet
 */
export function readDataImage(uri: string): DataImage | undefined {
  const [, type, , base64, data = ''] = DATA_IMAGE.exec(uri) ?? []
  if (type === undefined) return undefined
  const octets = percentDecoded(data)
  const text = octets.toString('latin1')
  if (octets.length === 0 || (base64 !== undefined && !BASE64.test(text))) return undefined
  return { type: type.toLowerCase(), bytes: base64 === undefined ? octets : Buffer.from(text, 'base64') }
}
