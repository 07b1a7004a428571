import type { AnyProcedure, AnyRouter } from '@trpc/server'
import type { RequestHandler } from 'express'
import { createContext } from '../context.js'
import type { Deps } from '../deps.js'
import { sendFailure } from './failure.js'
import { requestFacts } from './request-facts.js'
import { restInput } from './rest-input.js'
import { createRouteTable, routesOf } from './routes.js'

/** Bytes that came from elsewhere are shown as what they are said to be, and run nothing; any page may show the image. */
const HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'",
  'cross-origin-resource-policy': 'cross-origin',
}

/** Serves queries whose contract is of kind `express` and whose output is bytes, as the media type that they produce. */
export function createBinaryMount(appRouter: AnyRouter, deps: Deps): RequestHandler {
  const routes = routesOf(appRouter).filter(
    (route) => route.rest.kind === 'express' && route.procedure._def.type === 'query',
  )
  const match = createRouteTable(routes)
  return async (request, response, next) => {
    const queryAt = request.url.indexOf('?')
    const found = match(
      request.method === 'HEAD' ? 'GET' : request.method,
      queryAt < 0 ? request.url : request.url.slice(0, queryAt),
    )
    if (found === undefined) return next()
    const { procedure, name, rest } = found.route
    const search = queryAt < 0 ? '' : request.url.slice(queryAt + 1)
    const ctx = createContext(deps, requestFacts(request, response))
    const getRawInput = () => restInput(found, search, request, response)
    const call = { path: name, getRawInput, ctx, type: 'query', signal: undefined, batchIndex: 0 }
    try {
      const bytes = (await procedure(call as unknown as Parameters<AnyProcedure>[0])) as unknown as Uint8Array
      response.set({ ...HEADERS, 'content-type': rest.produces ?? 'application/octet-stream' })
      for (const [header, value] of ctx.responseHeaders) response.setHeader(header, value)
      response.end(bytes)
    } catch (thrown) {
      sendFailure(thrown, found.route, request, response, deps)
    }
  }
}
