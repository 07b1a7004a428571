import type { Dimensions } from './dimensions.js'
import { ImageFault } from './image-fault.js'

/** CSS pixels of each absolute unit (CSS Values and Units Level 3 §6.2). */
const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  px: 1,
  pt: 96 / 72,
  pc: 16,
  in: 96,
  cm: 96 / 2.54,
  mm: 96 / 25.4,
}

const LENGTH = /^\s*(\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})\s*(px|pt|pc|in|cm|mm)?\s*$/

/** A length in CSS pixels; undefined for a missing or relative length. */
function pixelsOf(length: string | undefined): number | undefined {
  const [, number, unit = ''] = LENGTH.exec(length ?? '') ?? []
  const pixels = Number(number) * (UNITS[unit] ?? Number.NaN)
  return pixels > 0 ? pixels : undefined
}

/** The width and height in a `viewBox` (SVG 2 §8.6). */
function boxOf(viewBox: string | undefined): Dimensions | undefined {
  const numbers = (viewBox ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number)
  const [, , width = Number.NaN, height = Number.NaN] = numbers
  const isBox = numbers.length === 4 && numbers.every(Number.isFinite) && width > 0 && height > 0
  return isBox ? { width, height } : undefined
}

const rounded = (length: number): number => Math.round(length * 100) / 100

/**
 * The size of an SVG in CSS pixels: its width and height, or its `viewBox`. If only one length is given, the `viewBox` gives the
 * other one.
 *
 * @throws ImageFault if the SVG has neither
 */
export function sizeOf({
  width,
  height,
  viewBox,
}: {
  readonly width?: string | undefined
  readonly height?: string | undefined
  readonly viewBox?: string | undefined
}): Dimensions {
  const [wide, high, box] = [pixelsOf(width), pixelsOf(height), boxOf(viewBox)]
  if (wide !== undefined && high !== undefined) return { width: rounded(wide), height: rounded(high) }
  if (box === undefined) throw new ImageFault('must have a width and height, or a viewBox')
  if (wide !== undefined) return { width: rounded(wide), height: rounded((wide * box.height) / box.width) }
  if (high !== undefined) return { width: rounded((high * box.width) / box.height), height: rounded(high) }
  return { width: rounded(box.width), height: rounded(box.height) }
}
