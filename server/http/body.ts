import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { Duplex, Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { Request, Response } from 'express'
import { errors } from '../api/errors.js'
import { dropBody, isRefused, REFUSED } from './bounded-request.js'

export const MAX_BODY_BYTES = 1_048_576

/** The initial size of a body's buffer. Most bodies fit into it. */
const FIRST_BYTES = 4_096

const EMPTY = Buffer.alloc(0)

/** Supported content encodings of bodies (RFC 9110 §8.4.1). */
const UNPACKERS: ReadonlyMap<string, () => Duplex> = new Map([
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
])

/** Collects all pieces of a body in one buffer. A full buffer is replaced by a buffer of twice the size. */
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

/** The decoder of a body's content encoding; undefined for a body without an encoding. */
function unpackerOf({ headers }: IncomingMessage): Duplex | undefined {
  const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity'
  if (encoding === 'identity') return undefined
  const create = UNPACKERS.get(encoding)
  if (create === undefined) throw errors.unsupportedMediaType('with that content encoding')
  return create()
}

/**
 * Reads a body to its end. The limit applies to the octets before decoding too, since any number of octets may decode
 * to nothing.
 */
function gather(request: IncomingMessage, unpacker: Duplex | undefined, maxBytes: number): Promise<Buffer> {
  const gathered = new Gathered()
  const source: Readable = unpacker ?? request
  let arrived = 0
  let release = () => {}
  return new Promise<Buffer>((resolve, reject) => {
    const refuse = () => reject(errors.bodyInPieces())
    const fail = (cause?: Error) => reject(errors.unreadableBody(cause))
    // A decoder may still have data to deliver after the request has ended and closed.
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
 * Reads the whole body as text. The text is empty if there is no body.
 *
 * @throws 413 above `maxBytes` (decoded); 400 if it ends early, arrives in too many pieces or is not UTF-8; 415 for an
 * unsupported content encoding.
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

/** The media type without parameters, in lower case; undefined without the header. */
export function mediaType(request: IncomingMessage): string | undefined {
  return request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
}
