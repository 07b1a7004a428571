/** The members of a display entry beside its texts (OpenID4VCI 1.0 §12.2.4). */
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

/** Longer than any colour, and short enough for every expression here. */
const MAX_COLOUR = 64

/** Whether a text is a numerical colour of CSS Color Module Level 3 (§4.2), as §12.2.4 wants colours: no name of one. */
export const isColour = (text: string): boolean =>
  text.length <= MAX_COLOUR && [HEX, RGB, HSL].some((pattern) => pattern.test(text))

const DATA_IMAGE = /^data:image\/[a-z\d][a-z\d.+-]*(?:;[a-z\d-]+=[^;,"\s]+)*(?:;base64)?,[^\s]*$/i

/** The data URIs that the wallet libraries in the field take: SVG is none of them, whose type has a plus sign. */
const READABLE_DATA_IMAGE = /^data:image\/[\w.-]+;base64,[A-Za-z\d+/=]*$/

function isHttps(text: string): boolean {
  // A browser would read `https:evil` and `https:///evil` too (WHATWG URL); a wallet's parser may not.
  if (!/^https:\/\/[^/?#\\@\s]+(?:[/?#][^\s\\]*)?$/.test(text)) return false
  return URL.canParse(text)
}

/** Whether a text addresses an image as display entries may: by `https:`, or as a `data:` URI of an image. */
export const isImageUri = (text: string): boolean => isHttps(text) || DATA_IMAGE.test(text)

const isPublished = (image: { readonly uri: string } | undefined): boolean =>
  image !== undefined && (isHttps(image.uri) || READABLE_DATA_IMAGE.test(image.uri))

const isPublishedColour = (colour: string | undefined): boolean => colour !== undefined && isColour(colour)

/** Whether an entry can be published at all: its language must be known. */
export const isPublishable = ({ locale }: Drawn): boolean => locale === undefined || isLanguageTag(locale)

/**
 * An entry as metadata have it. Images that wallets' libraries do not read and colours that are not numerical are left out: a library
 * refuses the whole document for one of them.
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
