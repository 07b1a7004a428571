import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import type { MadeLists } from './made-lists.js'

const FILE = join(import.meta.dirname, 'recorded.json.br')

/** Lists that SD-DSS has signed before, so that tests need no Java. There is no private key among them. */
export const readRecording = (): MadeLists => JSON.parse(brotliDecompressSync(readFileSync(FILE)).toString())

export function writeRecording(made: MadeLists): void {
  const text = Buffer.from(`${JSON.stringify(made)}\n`)
  // The lists are much alike. A large window finds the same text in lists before.
  const params = { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS }
  writeFileSync(FILE, brotliCompressSync(text, { params }))
}
