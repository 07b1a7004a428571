import jsQR from 'jsqr'
import { PNG } from 'pngjs'

// The types of the module declare the function below a second `default`.
const decodeQr = jsQR as unknown as typeof jsQR.default

/** Reads the text of the QR code in a PNG. Returns undefined if the PNG has no QR code. */
export function textInPng(png: Buffer): string | undefined {
  const { data, width, height } = PNG.sync.read(png)
  return decodeQr(new Uint8ClampedArray(data), width, height)?.data
}

/** Reads the text of the QR code at an address of the service. The service answers with a data URI as a JSON string. */
export async function contentOfQrCode(url: string): Promise<string | undefined> {
  const [, base64 = ''] = /^data:image\/png;base64,(.+)$/.exec(String(await (await fetch(url)).json())) ?? []
  return textInPng(Buffer.from(base64, 'base64'))
}
