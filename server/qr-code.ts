import QRCode from 'qrcode'

/** A QR code (ISO/IEC 18004, error correction M) of a text as a PNG. */
export const qrCodePng = (text: string): Promise<Buffer> =>
  QRCode.toBuffer(text, { errorCorrectionLevel: 'M', margin: 4, scale: 6, type: 'png' })

/** The same as a data URI with base64 image data. */
export const qrCodeDataUri = async (text: string): Promise<string> =>
  `data:image/png;base64,${(await qrCodePng(text)).toString('base64')}`
