import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { Duplex, Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { Request, Response } from 'express'
import { errors } from '../api/errors.js'
import { dropBody, isRefused, REFUSED } from './bounded-request.js'

export const MAX_BODY_BYTES = 1_048_576

/** What a buffer for a body begins with: most bodies fit. */
const FIRST_BYTES = 4_096

const EMPTY = Buffer.alloc(0)

/** Content encodings (RFC 9110 §8.4.1) that bodies are unpacked from. */
const UNPACKERS: ReadonlyMap<string, () => Duplex> = new Map([
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
])

/** One buffer for all pieces of a body, doubled when it is full. */
class Gathered {
  #buffer: Buffer = EMPTY
  length = 0

  add(piece: Buffer): void {
    if (this.length === 0) {
      this.#buffer = piece
      this.length = piece.length
      return
    }
    const length = this.length + piece.length
    if (length > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(FIRST_BYTES, 2 * length))
      this.#buffer.copy(larger, 0, 0, this.length)
      this.#buffer = larger
    }
    piece.copy(this.#buffer, this.length)
    this.length = length
  }

  all(): Buffer {
    return this.#buffer.subarray(0, this.length)
  }
}

/** What unpacks a body; undefined where it comes as it is. */
function unpackerOf({ headers }: IncomingMessage): Duplex | undefined {
  const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity'
  if (encoding === 'identity') return undefined
  const create = UNPACKERS.get(encoding)
  if (create === undefined) throw errors.unsupportedMediaType('with that content encoding')
  return create()
}

/** Reads to the end. Packed octets count too, since a pack of any length may hold nothing. */
function gather(request: IncomingMessage, unpacker: Duplex | undefined, maxBytes: number): Promise<Buffer> {
  const gathered = new Gathered()
  const source: Readable = unpacker ?? request
  let arrived = 0
  let release = () => {}
  return new Promise<Buffer>((resolve, reject) => {
    const refuse = () => reject(errors.bodyInPieces())
    const fail = (cause?: Error) => reject(errors.unreadableBody(cause))
    // An unpacker goes on after the request has ended and closed.
    const close = () => request.readableEnded || fail()
    const count = ({ length }: Buffer) => {
      arrived += length
      if (arrived > maxBytes) reject(errors.payloadTooLarge(maxBytes))
    }
    const add = (piece: Buffer) => {
      if (gathered.length + piece.length > maxBytes) reject(errors.payloadTooLarge(maxBytes))
      else gathered.add(piece)
    }
    const end = () => resolve(gathered.all())
    release = () => {
      request.off(REFUSED, refuse).off('error', fail).off('close', close).off('data', count)
      source.off('data', add).off('end', end)
      if (unpacker !== undefined) request.unpipe(unpacker)
      unpacker?.destroy()
    }
    request.on(REFUSED, refuse).on('error', fail).on('close', close)
    if (unpacker !== undefined) request.on('data', count).pipe(unpacker).on('error', fail)
    source.on('data', add).on('end', end)
  }).finally(() => release())
}

async function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const { headers, destroyed } = request
  if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) return EMPTY
  const unpacker = unpackerOf(request)
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw errors.payloadTooLarge(maxBytes)
  if (isRefused(request)) throw errors.bodyInPieces()
  if (destroyed) throw errors.unreadableBody()
  return gather(request, unpacker, maxBytes)
}

/**
 * The whole body as text; empty where there is none.
 *
 * @throws 413 above `maxBytes` (when unpacked), 400 where it ends early, comes in too many pieces or is not UTF-8, 415 for a
 * content encoding that is not supported.
 */
export async function readText(request: Request, response: Response, maxBytes = MAX_BODY_BYTES): Promise<string> {
  try {
    const body = await readBytes(request, maxBytes)
    if (!isUtf8(body)) throw errors.badRequest('Request body must be UTF-8.')
    return body.toString('utf8')
  } catch (thrown) {
    if (isRefused(request)) response.setHeader('connection', 'close')
    else dropBody(request)
    throw thrown
  }
}

/** The media type without parameters, in lower case; undefined where the header is absent. */
export function mediaType(request: IncomingMessage): string | undefined {
  return request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
}
