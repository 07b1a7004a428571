import { isImageAddress } from '../stored-image.js'
import { isServed, readDataImage } from './data-image.js'

/** The members of a display entry in addition to its texts (OpenID4VCI 1.0 §12.2.4). */
interface Drawn {
  readonly locale?: string | undefined
  readonly background_color?: string | undefined
  readonly text_color?: string | undefined
  readonly logo?: { readonly uri: string; readonly alt_text?: string | undefined } | undefined
  readonly background_image?: { readonly uri: string } | undefined
}

/** Whether a text is a language tag (BCP 47, RFC 5646). */
export function isLanguageTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

const HEX = /^#(?:[\da-f]{3}|[\da-f]{6})$/i
const RGB =
  /^rgba?\(\s*(?:[+-]?\d+\s*(?:,\s*[+-]?\d+\s*){2}|[+-]?[\d.]+%\s*(?:,\s*[+-]?[\d.]+%\s*){2})(?:,\s*[\d.]+\s*)?\)$/i
const HSL = /^hsla?\(\s*[+-]?[\d.]+\s*(?:,\s*[+-]?[\d.]+%\s*){2}(?:,\s*[\d.]+\s*)?\)$/i

/** Limit of characters. Every colour is shorter, and the regular expressions above are fast on such a text. */
const MAX_COLOUR = 64

/** Whether a text is a numerical colour of CSS Color Module Level 3 (§4.2), which §12.2.4 requires. Names of colours are not accepted. */
export const isColour = (text: string): boolean =>
  text.length <= MAX_COLOUR && [HEX, RGB, HSL].some((pattern) => pattern.test(text))

const DATA_IMAGE = /^data:image\/[a-z\d][a-z\d.+-]*(?:;[a-z\d-]+=[^;,"\s]+)*(?:;base64)?,[^\s]*$/i

/** The types of images that the libraries of deployed wallets accept in data URIs. They do not accept SVG: its type has a plus sign. */
const READABLE_TYPE = /^image\/[\w.-]+$/

function isHttps(text: string): boolean {
  // A browser also reads `https:evil` and `https:///evil` (WHATWG URL); a wallet's parser may not.
  if (!/^https:\/\/[^/?#\\@\s]+(?:[/?#][^\s\\]*)?$/.test(text)) return false
  return URL.canParse(text)
}

/** Whether a text is the address of an image for display entries: an `https:` URL, or a `data:` URI of an image. */
export const isImageUri = (text: string): boolean => isHttps(text) || DATA_IMAGE.test(text)

/** The members of a display entry that show an image. */
export const IMAGES = ['logo', 'background_image'] as const
export type ImageMember = (typeof IMAGES)[number]

/** The address at which an image can be fetched that metadata do not contain; undefined if there is none. */
export type ImageAddress = (member: ImageMember) => string | undefined

/**
 * The longest data URI in metadata, in characters. Metadata contain a display entry twice for each format, and wallets read them whole.
 * An icon fits.
 */
const MAX_EMBEDDED = 4_096

/**
 * The URI of an image in metadata: an `https:` URL, or base64 of a type that wallets' libraries accept. Any other image, and a large one,
 * has an address of its own.
 */
function publishedUri(uri: string, address: () => string | undefined): string | undefined {
  if (isHttps(uri) || isImageAddress(uri)) return uri
  const image = readDataImage(uri)
  if (image === undefined) return undefined
  const own = isServed(image) ? address() : undefined
  if (!READABLE_TYPE.test(image.type)) return own
  const embedded = `data:${image.type};base64,${Buffer.from(image.bytes).toString('base64')}`
  return embedded.length > MAX_EMBEDDED ? (own ?? embedded) : embedded
}

function publishedImage<Image extends { readonly uri: string }>(
  image: Image | undefined,
  address: () => string | undefined,
): Image | undefined {
  const uri = image === undefined ? undefined : publishedUri(image.uri, address)
  return image === undefined || uri === undefined ? undefined : { ...image, uri }
}

const isPublishedColour = (colour: string | undefined): boolean => colour !== undefined && isColour(colour)

/** Whether an entry can be published: its `locale` must be a language tag or absent. */
export const isPublishable = ({ locale }: Drawn): boolean => locale === undefined || isLanguageTag(locale)

/**
 * An entry in the form of metadata. Each image has a URI that wallets' libraries read. It leaves out images without such a URI, and
 * colours that are not numerical: a library refuses the whole document because of one of them.
 */
export function published<Entry extends Drawn>(entry: Entry, addressOf: ImageAddress): Entry {
  const { logo: posted, background_image: behind, background_color, text_color, ...others } = entry
  const logo = publishedImage(posted, () => addressOf('logo'))
  const background_image = publishedImage(behind, () => addressOf('background_image'))
  const members = {
    ...(logo === undefined ? {} : { logo }),
    ...(background_image === undefined ? {} : { background_image }),
    ...(isPublishedColour(background_color) ? { background_color } : {}),
    ...(isPublishedColour(text_color) ? { text_color } : {}),
  }
  return { ...others, ...members } as Entry
}
