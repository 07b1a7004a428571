import { ImageFault } from './image-fault.js'

/** The largest width and height of a PNG or JPEG, in pixels. An SVG has no pixels, so its size has no limit. */
export const MAX_PIXELS = 4096

/** Width and height: pixels of a PNG or JPEG, user units of an SVG. */
export interface Dimensions {
  readonly width: number
  readonly height: number
}

/** @throws ImageFault if a size in pixels is out of bounds */
export function assertPixels({ width, height }: Dimensions): void {
  if (width >= 1 && height >= 1 && width <= MAX_PIXELS && height <= MAX_PIXELS) return
  throw new ImageFault(`must be between 1 and ${MAX_PIXELS} pixels wide and high, and is ${width} × ${height}`)
}
