import { createHmac } from 'node:crypto'
import type { RequestHandler } from 'express'
import type { Log } from '../log/log.js'
import { secretKey } from '../protocol/jose/secret-key.js'

/** The number of hash characters in the log. It is enough to distinguish callers. */
const CALLER_LENGTH = 16

/**
 * Logs one line for each finished request, with its request id, without query and body. A caller's `sub` is logged as a
 * keyed hash: the hash is equal in all lines of one caller, and nobody can find the `sub` by guessing.
 */
export function accessLog(log: Log, key: Uint8Array): RequestHandler {
  const pseudonymOf = (sub: string) =>
    createHmac('sha256', secretKey(key)).update(sub).digest('base64url').slice(0, CALLER_LENGTH)
  return (request, response, next) => {
    const started = performance.now()
    // The address is read now, because a closed connection has no address any more.
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
