import { PNG } from 'pngjs'
import type { Work } from '../../protocol/work.js'

export const MAX_IMAGE_BYTES = 65_536
const MAX_PIXELS_A_SIDE = 800
const UNITS_OF_A_PIXEL = 4

/** PNG filter "none". For two colours it compresses best, at a third of the cost of trying every filter. */
const ENCODING = { filterType: 0, deflateStrategy: 0 } as const

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')
const DATA_URI = /^data:image\/png;base64,([A-Za-z0-9+/]+={0,2})$/

/**
 * The reason why bytes are not accepted as an image. A caller puts the name of the source of the bytes before the
 * message.
 */
export class ImageError extends Error {
  override readonly name = 'ImageError'
}

/** Returns the PNG: the bytes themselves, or the content of a data URI in them, also in JSON quotes. Does not decode. */
function pngIn(bytes: Buffer): Buffer {
  if (bytes.length > MAX_IMAGE_BYTES) throw new ImageError(`holds more than ${MAX_IMAGE_BYTES} bytes`)
  if (bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return bytes
  const [, base64] =
    DATA_URI.exec(
      bytes
        .toString('latin1')
        .trim()
        .replace(/^"(.*)"$/s, '$1'),
    ) ?? []
  const png = base64 === undefined ? undefined : Buffer.from(base64, 'base64')
  if (png?.subarray(0, SIGNATURE.length).equals(SIGNATURE) !== true) {
    throw new ImageError('holds neither a PNG nor a PNG data URI')
  }
  return png
}

/**
 * Decodes a PNG from a stranger, or its data URI, and encodes the pixels again. All other data of the file is dropped.
 * The function works synchronously and blocks the process for some tens of milliseconds at most. The library's streams
 * are not usable: on damaged pixels, no caller can catch their errors.
 *
 * @param work the budget for the pixels
 * @throws ImageError, WorkExceededError
 */
export function cleanPng(bytes: Buffer, work: Work): Buffer {
  const png = pngIn(bytes)
  // PNG §11.2.2: the first chunk holds width and height. Width and height decide how much memory the pixels take.
  const [width, height] = png.length < 24 ? [0, 0] : [png.readUInt32BE(16), png.readUInt32BE(20)]
  if (width < 1 || height < 1 || width > MAX_PIXELS_A_SIDE || height > MAX_PIXELS_A_SIDE) {
    throw new ImageError(`is not 1 to ${MAX_PIXELS_A_SIDE} pixels wide and high`)
  }
  // PNG §11.2.2: the interlace method. The library unpacks all interlaced pixels, however many there are.
  if (png[28] !== 0) throw new ImageError('holds an interlaced PNG')
  work.spend(width * height * UNITS_OF_A_PIXEL)
  try {
    return PNG.sync.write(PNG.sync.read(png), ENCODING)
  } catch (cause) {
    throw new ImageError('holds a PNG that cannot be decoded', { cause })
  }
}
