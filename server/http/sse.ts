import type { AnyProcedure, AnyRouter } from '@trpc/server'
import type { Request, RequestHandler, Response } from 'express'
import { type Context, createContext } from '../context.js'
import type { Deps } from '../deps.js'
import { ServiceError } from '../errors.js'
import { logFailure, sendFailure } from './failure.js'
import { requestFacts } from './request-facts.js'
import { restInput } from './rest-input.js'
import { createRouteTable, type Route, routesOf } from './routes.js'

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  connection: 'keep-alive',
  // nginx would otherwise hold events back until its buffer is full.
  'x-accel-buffering': 'no',
}

/**
 * Sends a stream of session events (`deps.events.stream`) as Server-Sent Events (HTML §9.2): `id` is the event's seq,
 * its name `session`, its data the session as JSON; every 15 seconds a `ping` with data `keepalive`. The next event is
 * asked for when the client has taken the last one, so that a slow reader is not buffered for; one that takes nothing
 * between two pings is dropped. The response ends when the stream does.
 */
export async function sendEventStream(
  request: Request,
  response: Response,
  deps: Deps,
  stream: AsyncIterable<readonly [id: string, data: unknown, ...rest: unknown[]]>,
): Promise<void> {
  response.writeHead(200, HEADERS)
  // Who went away before the first event closes nothing any more.
  if (!response.destroyed) deps.pings.add(response)
  try {
    for await (const [id, data] of stream) {
      if (response.destroyed) return
      const taken = response.write(`id: ${id}\nevent: session\ndata: ${JSON.stringify(data)}\n\n`)
      if (!taken) await drained(response)
    }
    response.end()
  } catch (thrown) {
    // The service stops: the client comes again, to another process. Its connection is not kept for more.
    if (thrown instanceof ServiceError && thrown.status === 503) response.end(() => request.socket.end())
    else {
      logFailure(thrown, 500, request, response, deps)
      response.destroy()
    }
  }
}

function drained(response: Response): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done)
      resolve()
    }
    response.on('drain', done).on('close', done)
  })
}

type Stream = Parameters<typeof sendEventStream>[3]

/** Calls a subscription procedure as `/trpc` does. */
function subscribe(route: Route, context: Context, getRawInput: () => Promise<unknown>): Promise<Stream> {
  const call = { path: route.name, getRawInput, ctx: context, type: 'subscription', signal: undefined, batchIndex: 0 }
  return route.procedure(call as unknown as Parameters<AnyProcedure>[0]) as unknown as Promise<Stream>
}

/**
 * Serves every subscription procedure whose contract has an address as Server-Sent Events. `Last-Event-ID` becomes the
 * input's `lastEventId`; whatever is refused before the stream begins is answered with the envelope.
 */
export function createEventStreamMount(appRouter: AnyRouter, deps: Deps): RequestHandler {
  const routes = routesOf(appRouter).filter((route) => route.procedure._def.type === 'subscription')
  const match = createRouteTable(routes)
  return async (request, response, next) => {
    const queryAt = request.url.indexOf('?')
    const found = match(request.method, queryAt < 0 ? request.url : request.url.slice(0, queryAt))
    if (found === undefined) return next()
    const search = queryAt < 0 ? '' : request.url.slice(queryAt + 1)
    const lastEventId = request.headers['last-event-id']
    try {
      const context = createContext(deps, requestFacts(request, response))
      const stream = await subscribe(found.route, context, async () => {
        const input = await restInput(found, search, request, response)
        return typeof lastEventId === 'string' ? { ...input, lastEventId } : input
      })
      await sendEventStream(request, response, deps, stream)
    } catch (thrown) {
      sendFailure(thrown, found.route, request, response, deps)
    }
  }
}
