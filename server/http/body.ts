import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import express, { type Request, type Response } from 'express'
import { errors } from '../errors.js'

export const MAX_BODY_BYTES = 1_048_576
/** Deeper JSON than any contract needs; recursive readers further down rely on it. */
const MAX_JSON_DEPTH = 100

const readRaw = promisify<Request, Response, void>(
  express.raw({ type: () => true, limit: MAX_BODY_BYTES, inflate: true }) as (
    request: Request,
    response: Response,
    next: (error?: unknown) => void,
  ) => void,
)

/**
 * The whole body as text; empty where there is none.
 *
 * @throws 413 above 1 MiB, 400 where it ends early, 415 for a content encoding that nobody here knows.
 */
export async function readText(request: Request, response: Response): Promise<string> {
  try {
    await readRaw(request, response)
  } catch (cause) {
    throw bodyError(cause)
  }
  return Buffer.isBuffer(request.body) ? request.body.toString('utf8') : ''
}

function bodyError(cause: unknown): Error {
  const { type, status } = cause as { type?: unknown; status?: unknown }
  if (type === 'entity.too.large') return errors.payloadTooLarge()
  if (type === 'encoding.unsupported') return errors.unsupportedMediaType('with that content encoding')
  if (status === 400) return errors.badRequest('Request body could not be read.')
  return cause instanceof Error ? cause : new Error(String(cause))
}

/** The media type without parameters, in lower case; undefined where the header is absent. */
export function mediaType(request: IncomingMessage): string | undefined {
  return request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
}

/** Nesting is measured before parsing, since a recursive reader would overflow the stack on it. */
function isTooDeep(text: string): boolean {
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (inString) {
      if (code === 92) at += 1
      else if (code === 34) inString = false
    } else if (code === 34) inString = true
    else if (code === 123 || code === 91) {
      depth += 1
      if (depth > MAX_JSON_DEPTH) return true
    } else if (code === 125 || code === 93) depth -= 1
  }
  return false
}

/** @throws 400 for text that is no JSON, or nests deeper than 100 levels. */
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) throw errors.badRequest('Request body is nested too deeply.')
  try {
    return JSON.parse(text)
  } catch {
    throw errors.malformedJson()
  }
}
