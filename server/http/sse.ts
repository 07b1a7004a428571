import type { AnyProcedure, AnyRouter } from '@trpc/server'
import type { Request, RequestHandler, Response } from 'express'
import { type Context, createContext } from '../context.js'
import type { Deps } from '../deps.js'
import { ServiceError } from '../errors.js'
import { logFailure, sendFailure } from './failure.js'
import { requestFacts } from './request-facts.js'
import { restInput } from './rest-input.js'
import { createRouteTable, type Route, type RouteMatch, routesOf } from './routes.js'

type StreamedEvent = readonly [id: string, data: unknown, ...rest: unknown[]]

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
  stream: AsyncIterable<StreamedEvent>,
): Promise<void> {
  // Written by itself the head becomes one text; behind the first event it would stay what Node makes it of, some seventy
  // pieces, as long as the stream is open. They still leave together.
  response.cork()
  response.writeHead(200, HEADERS).flushHeaders()
  setImmediate(() => response.uncork())
  // Who went away before the first event closes nothing any more.
  if (!response.destroyed) deps.pings.add(response)
  const events = stream[Symbol.asyncIterator]()
  try {
    while (await sendNext(events, response));
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

/**
 * Sends the next event. A call of its own, so that a stream that waits, for minutes mostly, does not keep the event
 * before in memory.
 *
 * @returns false where there is none any more, or nobody who takes it.
 */
async function sendNext(events: AsyncIterator<StreamedEvent>, response: Response): Promise<boolean> {
  const { value, done } = await events.next()
  if (done === true) return false
  if (response.destroyed) {
    await events.return?.()
    return false
  }
  const [id, data] = value
  if (!response.write(`id: ${id}\nevent: session\ndata: ${JSON.stringify(data)}\n\n`)) await drained(response)
  return true
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
  const open = (found: RouteMatch, search: string, request: Request, response: Response): Promise<Stream> => {
    const lastEventId = request.headers['last-event-id']
    const context = createContext(deps, requestFacts(request, response))
    return subscribe(found.route, context, async () => {
      const input = await restInput(found, search, request, response)
      return typeof lastEventId === 'string' ? { ...input, lastEventId } : input
    })
  }
  const serve = async (found: RouteMatch, search: string, request: Request, response: Response): Promise<void> => {
    try {
      await sendEventStream(request, response, deps, await open(found, search, request, response))
    } catch (thrown) {
      sendFailure(thrown, found.route, request, response, deps)
    }
  }
  // Not itself waiting for the stream's end, the handler keeps nothing of Express' way to it in memory.
  return (request, response, next) => {
    const queryAt = request.url.indexOf('?')
    const found = match(request.method, queryAt < 0 ? request.url : request.url.slice(0, queryAt))
    if (found === undefined) return next()
    void serve(found, queryAt < 0 ? '' : request.url.slice(queryAt + 1), request, response)
  }
}
