import { createHash } from 'node:crypto'
import type { Dimensions } from './dimensions.js'
import { ImageFault } from './image-fault.js'
import { isJpeg, readJpeg } from './jpeg.js'
import { isPng, readPng } from './png.js'

/** The types of images that can be stored. */
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/svg+xml'] as const
export type ImageType = (typeof IMAGE_TYPES)[number]

/** The largest image, in bytes. */
export const MAX_IMAGE_BYTES = 256 * 1024

/** An image that was checked. */
export interface CheckedImage extends Dimensions {
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly id: string
  readonly mediaType: ImageType
  readonly bytes: Uint8Array
}

/** Types whose beginning is known, but which wallets' libraries and this service do not accept. */
const OTHERS: readonly (readonly [string, RegExp])[] = [
  ['a GIF', /^GIF8[79]a/],
  ['a WebP', /^RIFF[\s\S]{4}WEBP/],
  ['a BMP', /^BM/],
  ['a PDF', /^%PDF-/],
  ['a TIFF', /^(?:II\*\0|MM\0\*)/],
  ['an HTML page', /^\s*<(?:!doctype html|html)/i],
]

const SVG_START = /^\uFEFF?\s*<(?:\?xml|!--|!DOCTYPE|!ENTITY|(?:[\w.-]+:)?svg)/i

/** The type of the bytes, by their beginning. @throws ImageFault */
function typeOf(bytes: Uint8Array): ImageType {
  if (isPng(bytes)) return 'image/png'
  if (isJpeg(bytes)) return 'image/jpeg'
  const start = Buffer.from(bytes.subarray(0, 512))
  const other = OTHERS.find(([, pattern]) => pattern.test(start.toString('latin1')))
  if (other !== undefined) throw new ImageFault(`must be a PNG, JPEG or SVG, and is ${other[0]}`)
  if (SVG_START.test(start.toString('utf8'))) return 'image/svg+xml'
  throw new ImageFault('is not an image: it must be a PNG, JPEG or SVG')
}

async function dimensionsOf(type: ImageType, bytes: Uint8Array): Promise<Dimensions> {
  if (type === 'image/png') return readPng(bytes)
  if (type === 'image/jpeg') return readJpeg(bytes)
  // Loaded on demand: a process that stores no SVG does not load the XML parser.
  const { readSvg } = await import('./svg.js')
  return readSvg(bytes)
}

/**
 * Checks an image completely. An image with a fault is refused: the service neither repairs it nor removes parts of it.
 *
 * @param declared the type that the caller expects
 * @throws ImageFault naming the fault
 */
export async function readImage(bytes: Uint8Array, declared?: ImageType): Promise<CheckedImage> {
  if (bytes.length === 0) throw new ImageFault('must not be empty')
  if (bytes.length > MAX_IMAGE_BYTES)
    throw new ImageFault(`must not have more than ${MAX_IMAGE_BYTES / 1024} KiB, and has ${bytes.length} bytes`)
  const mediaType = typeOf(bytes)
  if (declared !== undefined && declared !== mediaType)
    throw new ImageFault(`must be of the type ${declared}, and is of the type ${mediaType}`)
  const { width, height } = await dimensionsOf(mediaType, bytes)
  return { id: createHash('sha256').update(bytes).digest('hex'), mediaType, width, height, bytes }
}
