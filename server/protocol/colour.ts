/** Red, green and blue, each between 0 and 1. */
type Channels = readonly [number, number, number]

const HEX = /^#(?:[\da-f]{3}|[\da-f]{6})$/i

/** `rgb(29, 79, 196)` without transparency. The length of the text is bounded before the expression is used. */
const RGB = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/i
const MAX_TEXT = 64

/** Whether a text is a CSS colour in hexadecimal form: `#abc` or `#aabbcc` (CSS Color Module Level 3 §4.2.1). */
export const isHexColour = (text: string): boolean => HEX.test(text)

const channelsOfHex = (colour: string): Channels => {
  // `#abc` is `#aabbcc`.
  const digits = (colour.length === 4 ? colour.replaceAll(/[\da-f]/gi, '$&$&') : colour).slice(1)
  const channel = (at: number) => Number.parseInt(digits.slice(at, at + 2), 16) / 255
  return [channel(0), channel(2), channel(4)]
}

/** The channels of a colour; undefined if the colour is not written as `#…` or as an opaque `rgb(…)` of integers. */
function channelsOf(colour: string): Channels | undefined {
  if (colour.length > MAX_TEXT) return undefined
  if (isHexColour(colour)) return channelsOfHex(colour)
  const [, red, green, blue] = RGB.exec(colour) ?? []
  if (red === undefined) return undefined
  const share = (digits: string | undefined) => Math.min(255, Number(digits)) / 255
  return [share(red), share(green), share(blue)]
}

/**
 * A colour in hexadecimal form with six digits. Such a text can be written into a style.
 *
 * @returns undefined unless the colour is written as `#…` or as an opaque `rgb(…)` of integers
 */
export function hexOf(colour: string): string | undefined {
  const digits = (channel: number) =>
    Math.round(channel * 255)
      .toString(16)
      .padStart(2, '0')
  const channels = channelsOf(colour)
  return channels === undefined ? undefined : `#${channels.map(digits).join('')}`
}

/** Relative luminance between 0 (black) and 1 (white) (WCAG 2.2). */
function luminanceOf(channels: Channels): number {
  const [red, green, blue] = channels.map((channel) =>
    channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4,
  ) as unknown as Channels // `map` of a tuple has the type of an array.
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/**
 * Contrast of two colours, between 1 and 21 (WCAG 2.2, contrast ratio). The order of the colours does not matter.
 *
 * @returns undefined unless both colours are written as `#…` or as an opaque `rgb(…)` of integers
 */
export function contrastOf(one: string, other: string): number | undefined {
  const [first, second] = [channelsOf(one), channelsOf(other)]
  if (first === undefined || second === undefined) return undefined
  const [dark = 0, bright = 0] = [luminanceOf(first), luminanceOf(second)].sort((a, b) => a - b)
  return (bright + 0.05) / (dark + 0.05)
}

/** The lowest contrast of text with its background that most people can read (WCAG 2.2, 1.4.3 level AA). */
export const LEAST_CONTRAST = 4.5

/**
 * The readable text colour for a background: the wanted colour if its contrast is at least {@link LEAST_CONTRAST}, otherwise black
 * or white. Black or white has a contrast of at least 4.5 on every colour.
 *
 * @param background a hexadecimal colour
 */
export function readableOn(background: string, wanted?: string): string {
  if (wanted !== undefined && (contrastOf(wanted, background) ?? 0) >= LEAST_CONTRAST) return wanted
  return (contrastOf('#000000', background) ?? 0) >= (contrastOf('#ffffff', background) ?? 0) ? '#000000' : '#ffffff'
}

/** The colours of a display entry (OpenID4VCI 1.0 §12.2.4). */
export interface Colours {
  readonly background_color?: string | undefined
  readonly text_color?: string | undefined
}

/**
 * The contrast of a display entry's text with its background, if it is too low.
 *
 * @returns the contrast with one decimal, such as `3.9`; undefined if the contrast is sufficient or cannot be computed
 */
export function lowContrast({ background_color: background, text_color: text }: Colours): string | undefined {
  if (background === undefined || text === undefined) return undefined
  const contrast = contrastOf(text, background)
  // Rounded down: 4.49 must not be shown as 4.5.
  return contrast === undefined || contrast >= LEAST_CONTRAST ? undefined : (Math.floor(contrast * 10) / 10).toFixed(1)
}
