import type { AnyRouter } from '@trpc/server'
import type { Request, RequestHandler, Response } from 'express'
import type { Context } from '../api/context.js'
import { callProcedure } from './call-procedure.js'
import type { ContextOf } from './contexts.js'
import type { Failures } from './failure.js'
import { sendProtocolReply, sendReply } from './reply.js'
import { noteCalls } from './request-metrics.js'
import { restInput } from './rest-input.js'
import { createRouteTable, type Route, type RouteMatch, routesOf } from './routes.js'
import type { StreamPorts } from './sse.js'

/**
 * Adds headers to a successful answer or an error: the headers that the procedure has set, for example a nonce for the
 * next attempt.
 */
function addHeaders({ responseHeaders }: Context, response: Response): void {
  if (response.headersSent) return
  for (const [name, value] of responseHeaders) {
    // `vary` adds to the names that the CORS policy has set.
    if (name === 'vary') response.vary(value)
    else response.setHeader(name, value)
  }
}

/** The ports of {@link createRestMount}. */
export interface RestPorts {
  readonly contextOf: ContextOf
  readonly failures: Failures
  readonly pings: StreamPorts['pings']
}

/** Calls the procedure, as `/trpc` does, and sends its output or its error. */
async function serve(match: RouteMatch, search: string, request: Request, response: Response, ports: RestPorts) {
  const ctx = ports.contextOf(request, response, match.params)
  try {
    const getRawInput = () => restInput(match, search, request, response)
    const data = await callProcedure(match.route.procedure, { path: match.route.name, ctx, getRawInput })
    addHeaders(ctx, response)
    const { reply } = ctx.otherForm
    if (reply === undefined) sendReply(match.route, data, request, response, ports)
    else sendProtocolReply(reply, response)
  } catch (thrown) {
    addHeaders(ctx, response)
    ports.failures.send(thrown, match.route, request, response)
  }
}

/**
 * An adapter of trpc-to-openapi for Express: it mounts the contracts of a router at their exact paths and calls the
 * procedures with the request. Requests for unknown paths are passed to the next handler.
 *
 * @param isServed selects the routes to mount; all by default
 */
export function createRestMount(
  router: AnyRouter,
  ports: RestPorts,
  isServed: (route: Route) => boolean = () => true,
): RequestHandler {
  const match = createRouteTable(routesOf(router).filter(isServed))
  return (request, response, next) => {
    const [path = '', search = ''] = splitAt(request.url, request.url.indexOf('?'))
    const found = match(request.method === 'HEAD' ? 'GET' : request.method, path)
    if (found === undefined) return next()
    noteCalls(response, [found.route.name])
    return serve(found, search, request, response, ports)
  }
}

const splitAt = (url: string, at: number) => (at < 0 ? [url] : [url.slice(0, at), url.slice(at + 1)])
