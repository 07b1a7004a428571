/** The first characters of images in base64, with their media types. */
const SIGNATURES = [
  ['/9j/', 'image/jpeg'],
  ['iVBORw0KGgo', 'image/png'],
] as const

/** The longest text that is shown as a picture: 2 MiB of base64. */
export const MAX_PICTURE = 2 * 1024 * 1024

const DATA_IMAGE = /^data:image\/(?:png|jpeg);base64,[A-Za-z\d+/]+={0,2}$/
const BASE64 = /^[A-Za-z\d+/]{40,}={0,2}$/

/**
 * The address of the picture that a text holds, for an `<img>`: the text is a data URI, or the bytes of a PNG or JPEG in base64 or
 * base64url. An SVG is not shown, because it can be anything.
 *
 * @returns undefined for any other text, and for a text longer than {@link MAX_PICTURE}
 */
export function pictureOf(text: string): string | undefined {
  if (text.length > MAX_PICTURE) return undefined
  if (DATA_IMAGE.test(text)) return text
  const bytes = text.replaceAll('-', '+').replaceAll('_', '/')
  const [, type] = SIGNATURES.find(([begin]) => bytes.startsWith(begin)) ?? []
  return type !== undefined && BASE64.test(bytes) ? `data:${type};base64,${bytes}` : undefined
}
