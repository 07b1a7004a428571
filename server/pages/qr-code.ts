import QRCode from 'qrcode'
import { LruMap } from '../protocol/jose/lru-map.js'

/** What the largest QR code holds with error correction M, in octets. */
const MOST_WITH_M = 2_331

const correctionOf = (text: string) => (Buffer.byteLength(text) > MOST_WITH_M ? 'L' : 'M')

/** Pixels of a module. */
const SCALE = 6

/** Drawing one takes more processor time than all else in a view of a page, and a page is looked at again and again. */
const drawn = new LruMap<string, Buffer>(500, 4_194_304)

/** A QR code (ISO/IEC 18004) of a text as a PNG: with error correction M, or with L where it would hold too much. */
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

/** The same as an SVG image, of any size. */
export const qrCodeSvg = async (text: string): Promise<string> =>
  QRCode.toString(text, { errorCorrectionLevel: correctionOf(text), margin: 4, type: 'svg' })

/** The same as a data URI with base64 image data. */
export const qrCodeDataUri = async (text: string): Promise<string> => (await qrCodeImage(text)).dataUri

/** The same with how many modules wide it is, its quiet zone included: shown at a whole number of pixels for each, it is read off any screen. */
export async function qrCodeImage(text: string): Promise<{ dataUri: string; modules: number }> {
  const png = await qrCodePng(text)
  // The width in the PNG's header.
  return { dataUri: `data:image/png;base64,${png.toString('base64')}`, modules: png.readUInt32BE(16) / SCALE }
}
