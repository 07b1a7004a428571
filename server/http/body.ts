import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import express, { type Request, type Response } from 'express'
import { errors } from '../errors.js'

export const MAX_BODY_BYTES = 1_048_576

type Parser = (request: Request, response: Response, next: (error?: unknown) => void) => void

const readers = new Map<number, (request: Request, response: Response) => Promise<void>>()

/** A reader of whole bodies; there are as many as contracts name limits. */
function readerOf(limit: number): (request: Request, response: Response) => Promise<void> {
  const known = readers.get(limit)
  if (known !== undefined) return known
  const reader = promisify<Request, Response, void>(express.raw({ type: () => true, limit, inflate: true }) as Parser)
  readers.set(limit, reader)
  return reader
}

/**
 * The whole body as text; empty where there is none.
 *
 * @throws 413 above `maxBytes` (when unpacked), 400 where it ends early or is not UTF-8, 415 for a content encoding that
 * is not supported.
 */
export async function readText(request: Request, response: Response, maxBytes = MAX_BODY_BYTES): Promise<string> {
  try {
    await readerOf(maxBytes)(request, response)
  } catch (cause) {
    throw bodyError(cause, maxBytes)
  }
  const body: unknown = request.body
  if (!Buffer.isBuffer(body)) return ''
  if (!isUtf8(body)) throw errors.badRequest('Request body must be UTF-8.')
  return body.toString('utf8')
}

function bodyError(cause: unknown, maxBytes: number): Error {
  const { type, status } = cause as { type?: unknown; status?: unknown }
  if (type === 'entity.too.large') return errors.payloadTooLarge(maxBytes)
  if (type === 'encoding.unsupported') return errors.unsupportedMediaType('with that content encoding')
  if (status === 400) return errors.badRequest('Request body could not be read.')
  return cause instanceof Error ? cause : new Error(String(cause))
}

/** The media type without parameters, in lower case; undefined where the header is absent. */
export function mediaType(request: IncomingMessage): string | undefined {
  return request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
}
