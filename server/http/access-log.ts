import type { RequestHandler } from 'express'
import type { Log } from '../log.js'

/** One line for each finished request: who knows the request id finds it again. Queries and bodies stay out. */
export function accessLog(log: Log): RequestHandler {
  return (request, response, next) => {
    const started = performance.now()
    const { method, path } = request
    response.on('close', () => {
      log.info({
        requestId: response.locals.requestId,
        method,
        path,
        status: response.writableFinished ? response.statusCode : 'aborted',
        ms: Math.round((performance.now() - started) * 10) / 10,
      })
    })
    next()
  }
}
