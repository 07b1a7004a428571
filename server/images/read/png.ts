import { crc32, createInflate } from 'node:zlib'
import { assertPixels, type Dimensions } from './dimensions.js'
import { ImageFault } from './image-fault.js'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** Whether bytes begin with the signature of a PNG (PNG Third Edition §5.2). */
export const isPng = (bytes: Uint8Array): boolean => SIGNATURE.equals(bytes.subarray(0, SIGNATURE.length))

/** §11.2.1: the samples of a pixel, and the allowed bits of a sample, for each colour type. */
const COLOUR_TYPES: ReadonlyMap<number, { readonly samples: number; readonly depths: readonly number[] }> = new Map([
  [0, { samples: 1, depths: [1, 2, 4, 8, 16] }],
  [2, { samples: 3, depths: [8, 16] }],
  [3, { samples: 1, depths: [1, 2, 4, 8] }],
  [4, { samples: 2, depths: [8, 16] }],
  [6, { samples: 4, depths: [8, 16] }],
])

/** Critical chunks (§11.2). A chunk with another name in upper case cannot be ignored, so it is refused. */
const CRITICAL = ['IHDR', 'PLTE', 'IDAT', 'IEND']

interface Chunk {
  readonly name: string
  readonly data: Buffer
}

/** §5.3: length, name, data, CRC. @throws ImageFault */
function chunksOf(bytes: Buffer): Chunk[] {
  const chunks: Chunk[] = []
  for (let at = SIGNATURE.length; at < bytes.length; ) {
    if (chunks.at(-1)?.name === 'IEND') throw new ImageFault(`has ${bytes.length - at} bytes after the end of the PNG`)
    const length = at + 12 <= bytes.length ? bytes.readUInt32BE(at) : bytes.length
    const end = at + 12 + length
    if (end > bytes.length) throw new ImageFault('is a damaged PNG: a chunk is cut off')
    const name = bytes.toString('latin1', at + 4, at + 8)
    if (!/^[A-Za-z]{4}$/.test(name)) throw new ImageFault('is a damaged PNG: a chunk has no name')
    if (crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4))
      throw new ImageFault(`is a damaged PNG: the checksum of chunk ${name} is wrong`)
    chunks.push({ name, data: bytes.subarray(at + 8, end - 4) })
    at = end
  }
  return chunks
}

interface Header extends Dimensions {
  readonly bitsPerPixel: number
  readonly interlaced: boolean
}

/** §11.2.1 */
function headerOf(chunk: Chunk | undefined): Header {
  if (chunk?.name !== 'IHDR' || chunk.data.length !== 13)
    throw new ImageFault('is a damaged PNG: it has no header (IHDR)')
  const { data } = chunk
  const [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)]
  const [depth = 0, colourType = 0, compression, filter, interlace = 0] = data.subarray(8)
  const colours = COLOUR_TYPES.get(colourType)
  if (colours === undefined || !colours.depths.includes(depth) || compression !== 0 || filter !== 0 || interlace > 1)
    throw new ImageFault('is a damaged PNG: its header (IHDR) is not valid')
  return { width, height, bitsPerPixel: depth * colours.samples, interlaced: interlace === 1 }
}

/** §8.2: the first column and row, and the distances, of each pass of an interlaced image. */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const

/** The number of bytes of a picture part: each row has a filter byte (§7.2). */
const rowsSize = (width: number, height: number, bitsPerPixel: number): number =>
  width === 0 || height === 0 ? 0 : height * (1 + Math.ceil((width * bitsPerPixel) / 8))

/** The number of bytes of the picture data before their compression. */
function pictureSize({ width, height, bitsPerPixel, interlaced }: Header): number {
  if (!interlaced) return rowsSize(width, height, bitsPerPixel)
  const sizes = PASSES.map(([x, y, dx, dy]) =>
    rowsSize(Math.max(0, Math.ceil((width - x) / dx)), Math.max(0, Math.ceil((height - y) / dy)), bitsPerPixel),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

/**
 * The size of compressed data after decompression. The data are not kept, so a picture that expands to many bytes needs little memory.
 *
 * @param most the decompression stops after this number of bytes
 * @throws ImageFault for data that cannot be decompressed
 */
async function inflatedSize(compressed: Buffer, most: number): Promise<number> {
  const inflate = createInflate()
  inflate.end(compressed)
  let size = 0
  try {
    for await (const part of inflate) {
      size += (part as Buffer).length
      if (size > most) break
    }
  } catch {
    throw new ImageFault('is a damaged PNG: its picture data cannot be decompressed')
  }
  // Bytes after the compressed picture would be hidden from all programs that show it.
  if (size <= most && inflate.bytesWritten < compressed.length)
    throw new ImageFault('is a damaged PNG: bytes follow its picture data')
  return size
}

/**
 * Reads a PNG (PNG Third Edition): signature, chunks with their checksums, header, and the size of its picture data.
 *
 * @throws ImageFault naming the fault
 */
export async function readPng(bytes: Uint8Array): Promise<Dimensions> {
  const chunks = chunksOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))
  const header = headerOf(chunks[0])
  assertPixels(header)
  const names = chunks.map(({ name }) => name)
  const unknown = names.find((name) => /^[A-Z]/.test(name) && !CRITICAL.includes(name))
  if (unknown !== undefined) throw new ImageFault(`is a PNG with an unknown critical chunk ${unknown}`)
  if (names.lastIndexOf('IHDR') !== 0) throw new ImageFault('is a damaged PNG: it has two headers (IHDR)')
  const last = chunks.at(-1)
  if (last?.name !== 'IEND' || last.data.length > 0) throw new ImageFault('is a damaged PNG: it has no end (IEND)')
  const [first, end] = [names.indexOf('IDAT'), names.lastIndexOf('IDAT')]
  if (first < 0 || names.slice(first, end + 1).some((name) => name !== 'IDAT'))
    throw new ImageFault('is a damaged PNG: its picture data (IDAT) are missing or interrupted')
  const size = pictureSize(header)
  const found = await inflatedSize(Buffer.concat(chunks.slice(first, end + 1).map(({ data }) => data)), size)
  if (found !== size) throw new ImageFault('is a damaged PNG: its picture data do not fit its width and height')
  return { width: header.width, height: header.height }
}
