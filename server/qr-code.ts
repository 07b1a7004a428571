import QRCode from 'qrcode'

/** What the largest QR code holds with error correction M, in octets. */
const MOST_WITH_M = 2_331

/** A QR code (ISO/IEC 18004) of a text as a PNG: with error correction M, or with L where it would hold too much. */
export const qrCodePng = (text: string): Promise<Buffer> => {
  const errorCorrectionLevel = Buffer.byteLength(text) > MOST_WITH_M ? 'L' : 'M'
  return QRCode.toBuffer(text, { errorCorrectionLevel, margin: 4, scale: 6, type: 'png' })
}

/** The same as a data URI with base64 image data. */
export const qrCodeDataUri = async (text: string): Promise<string> =>
  `data:image/png;base64,${(await qrCodePng(text)).toString('base64')}`
