import { createExpressMiddleware } from '@trpc/server/adapters/express'
import type { Request, RequestHandler, Response } from 'express'
import { createContext } from '../context.js'
import type { Deps } from '../deps.js'
import { publicError } from '../public-error.js'
import type { AppRouter } from '../router.js'
import { parseJson, readText } from './body.js'
import { logFailure } from './failure.js'
import { requestFacts } from './request-facts.js'

const MAX_BATCH = 10

/** Bodies are read as on REST, with the same bounds; the adapter then takes what was parsed. */
function readJsonBody(): RequestHandler {
  return async (request, response, next) => {
    if (request.method !== 'POST') return next()
    const text = await readText(request, response)
    request.body = text.trim() === '' ? undefined : parseJson(text)
    next()
  }
}

/** Typed RPC for first-party clients: the same procedures, with superjson, batches of ten and subscriptions over SSE. */
export function createRpcMount(appRouter: AppRouter, deps: Deps): RequestHandler[] {
  const adapter = createExpressMiddleware({
    router: appRouter,
    maxBatchSize: MAX_BATCH,
    createContext: ({ req, res }: { req: Request; res: Response }) => createContext(deps, requestFacts(req, res)),
    // The RPC codes have no word for some statuses; a single call still answers with the true one.
    responseMeta: ({ errors }) => {
      const [error, ...others] = errors
      return error === undefined || others.length > 0
        ? {}
        : { status: publicError(error, deps.config.production).status }
    },
    onError: ({ error, req }) => {
      const response = req.res
      if (response !== undefined)
        logFailure(error, publicError(error, deps.config.production).status, req, response, deps)
    },
  })
  return [readJsonBody(), adapter]
}
