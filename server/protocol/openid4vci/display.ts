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

/** The data URIs that the libraries of deployed wallets accept. They do not accept SVG, whose type contains a plus sign. */
const READABLE_DATA_IMAGE = /^data:image\/[\w.-]+;base64,[A-Za-z\d+/=]*$/

function isHttps(text: string): boolean {
  // A browser also reads `https:evil` and `https:///evil` (WHATWG URL); a wallet's parser may not.
  if (!/^https:\/\/[^/?#\\@\s]+(?:[/?#][^\s\\]*)?$/.test(text)) return false
  return URL.canParse(text)
}

/** Whether a text is the address of an image for display entries: an `https:` URL, or a `data:` URI of an image. */
export const isImageUri = (text: string): boolean => isHttps(text) || DATA_IMAGE.test(text)

const isPublished = (image: { readonly uri: string } | undefined): boolean =>
  image !== undefined && (isHttps(image.uri) || READABLE_DATA_IMAGE.test(image.uri))

const isPublishedColour = (colour: string | undefined): boolean => colour !== undefined && isColour(colour)

/** Whether an entry can be published: its `locale` must be a language tag or absent. */
export const isPublishable = ({ locale }: Drawn): boolean => locale === undefined || isLanguageTag(locale)

/**
 * Returns an entry as the metadata contain it. Images that the libraries of wallets do not read are left out, and so
 * are colours that are not numerical. Otherwise a library would refuse the whole document.
 */
export function published<Entry extends Drawn>(entry: Entry): Entry {
  const { logo, background_image, background_color, text_color, ...others } = entry
  const members = {
    ...(isPublished(logo) ? { logo } : {}),
    ...(isPublished(background_image) ? { background_image } : {}),
    ...(isPublishedColour(background_color) ? { background_color } : {}),
    ...(isPublishedColour(text_color) ? { text_color } : {}),
  }
  return { ...others, ...members } as Entry
}
