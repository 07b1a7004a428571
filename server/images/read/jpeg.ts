import { assertPixels, type Dimensions } from './dimensions.js'
import { ImageFault } from './image-fault.js'

/** Markers of ITU-T T.81 Table B.1. */
const [SOI, EOI, SOS, DNL] = [0xd8, 0xd9, 0xda, 0xdc]

/** Whether bytes begin as a JPEG: the start of the image, then another marker. */
export const isJpeg = (bytes: Uint8Array): boolean => bytes[0] === 0xff && bytes[1] === SOI && bytes[2] === 0xff

/** Frames that every program shows: baseline, extended and progressive Huffman. */
const FRAMES = [0xc0, 0xc1, 0xc2]

/** Markers of other frames: lossless, hierarchical, and with arithmetic coding. */
const isOtherFrame = (marker: number): boolean =>
  marker >= 0xc3 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

const isRestart = (marker: number): boolean => marker >= 0xd0 && marker <= 0xd7

/** §B.2.2 */
function frameOf(segment: Buffer): Dimensions {
  const components = segment[5] ?? 0
  if (segment.length !== 6 + 3 * components || components === 0 || components > 4)
    throw new ImageFault('is a damaged JPEG: its frame is not valid')
  return { height: segment.readUInt16BE(1), width: segment.readUInt16BE(3) }
}

/** The position of the next marker after the coded data of a scan. §B.1.1.2, §B.1.1.5: in the data, 0xFF is followed by zero or a restart. */
function afterScan(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at >= 0 && at + 1 < bytes.length; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1] ?? 0
    if (next !== 0 && next !== 0xff && !isRestart(next)) return at
  }
  throw new ImageFault('is a damaged JPEG: it has no end')
}

/**
 * Reads a JPEG (ITU-T T.81 Annex B): its segments, one frame, at least one scan, and its end.
 *
 * @throws ImageFault naming the fault
 */
export function readJpeg(sent: Uint8Array): Dimensions {
  const bytes = Buffer.from(sent.buffer, sent.byteOffset, sent.length)
  let frame: Dimensions | undefined
  let scans = 0
  for (let at = 2; ; ) {
    if (bytes[at] !== 0xff) throw new ImageFault('is a damaged JPEG: a marker is missing')
    // §B.1.1.2: fill bytes may precede a marker.
    while (bytes[at + 1] === 0xff) at += 1
    const marker = bytes[at + 1]
    if (marker === undefined) throw new ImageFault('is a damaged JPEG: it has no end')
    if (marker === EOI) {
      const further = bytes.length - (at + 2)
      if (further > 0) throw new ImageFault(`has ${further} bytes after the end of the JPEG`)
      break
    }
    if (marker === SOI || marker === 0 || isRestart(marker) || marker === 0x01 || marker === DNL)
      throw new ImageFault('is a damaged JPEG: a marker is in the wrong place')
    if (isOtherFrame(marker)) throw new ImageFault('is a JPEG of a kind that browsers do not show')
    const length = at + 4 <= bytes.length ? bytes.readUInt16BE(at + 2) : 0
    const end = at + 2 + length
    if (length < 2 || end > bytes.length) throw new ImageFault('is a damaged JPEG: a segment is cut off')
    if (FRAMES.includes(marker)) {
      if (frame !== undefined) throw new ImageFault('is a damaged JPEG: it has two frames')
      frame = frameOf(bytes.subarray(at + 4, end))
    }
    if (marker === SOS) scans += 1
    at = marker === SOS ? afterScan(bytes, end) : end
  }
  if (frame === undefined || scans === 0) throw new ImageFault('is a damaged JPEG: it has no picture')
  assertPixels(frame)
  return frame
}
