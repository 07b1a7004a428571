import { createHmac } from 'node:crypto'
import type { RequestHandler } from 'express'
import type { Log } from '../log.js'

/** Enough to tell callers apart. */
const CALLER_LENGTH = 16

/**
 * One line for each finished request: who knows the request id finds it again. Queries and bodies stay out. A caller's `sub`
 * is hashed under a key, so that it can be followed from line to line and not guessed.
 */
export function accessLog(log: Log, key: Uint8Array): RequestHandler {
  const pseudonymOf = (sub: string) => createHmac('sha256', key).update(sub).digest('base64url').slice(0, CALLER_LENGTH)
  return (request, response, next) => {
    const started = performance.now()
    // Now, since a connection that was closed has no address any more.
    const { method, path, ip: address } = request
    response.on('close', () => {
      const { requestId, caller } = response.locals as { requestId?: string; caller?: string }
      log.info({
        requestId,
        method,
        path,
        status: response.writableFinished ? response.statusCode : 'aborted',
        ms: Math.round((performance.now() - started) * 10) / 10,
        address,
        ...(caller === undefined ? {} : { caller: pseudonymOf(caller) }),
      })
    })
    next()
  }
}
