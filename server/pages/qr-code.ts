import QRCode from 'qrcode'
import { LruMap } from '../protocol/jose/lru-map.js'

/** Capacity of the largest QR code with error correction M, in octets. */
const MOST_WITH_M = 2_331

const correctionOf = (text: string) => (Buffer.byteLength(text) > MOST_WITH_M ? 'L' : 'M')

/** The width of a module (a square of the code) in pixels. */
const SCALE = 6

/**
 * A cache of drawn codes. Drawing a code takes more processor time than the rest of a page, and people open a page many
 * times.
 */
const drawn = new LruMap<string, Buffer>(500, 4_194_304)

/**
 * Draws the QR code (ISO/IEC 18004) of a text as a PNG: with error correction M, or with L if the text is too long for
 * M.
 */
export async function qrCodePng(text: string): Promise<Buffer> {
  const before = drawn.get(text)
  if (before !== undefined) return before
  const png = await QRCode.toBuffer(text, {
    errorCorrectionLevel: correctionOf(text),
    margin: 4,
    scale: SCALE,
    type: 'png',
  })
  drawn.set(text, png, png.length + text.length)
  return png
}

/** The QR code of a text as an SVG image, of any size. */
export const qrCodeSvg = async (text: string): Promise<string> =>
  QRCode.toString(text, { errorCorrectionLevel: correctionOf(text), margin: 4, type: 'svg' })

/** The QR code of a text as a data URI with base64 image data. */
export const qrCodeDataUri = async (text: string): Promise<string> => (await qrCodeImage(text)).dataUri

/**
 * Returns the QR code of a text as a data URI, and the width of the code in modules, including the quiet zone. Cameras
 * can read the code from any screen if each module has a whole number of pixels.
 */
export async function qrCodeImage(text: string): Promise<{ dataUri: string; modules: number }> {
  const png = await qrCodePng(text)
  // The header of a PNG contains the width at this offset.
  return { dataUri: `data:image/png;base64,${png.toString('base64')}`, modules: png.readUInt32BE(16) / SCALE }
}
