import type { AnyProcedure, AnyRouter, TRPCError } from '@trpc/server'
import type { Request, RequestHandler, Response } from 'express'
import { createOpenApiNodeHttpHandler, type OpenApiRouter } from 'trpc-to-openapi'
import { z } from 'zod'
import { type Context, createContext } from '../context.js'
import type { Deps } from '../deps.js'
import { sendFailure } from './failure.js'
import { sendReply } from './reply.js'
import { requestFacts } from './request-facts.js'
import { restInput } from './rest-input.js'
import { createRouteTable, type Route, routesOf } from './routes.js'

/** One request on its way through the adapter. */
interface Call {
  readonly route: Route
  readonly context: Context
  readonly getRawInput: () => Promise<unknown>
  data?: unknown
  failure?: TRPCError
}

/** The adapter passes a signal on to nobody; procedures find the request's own in their context. */
const neverAborted = new AbortController().signal

/**
 * What the adapter reads of a request: a POST of JSON to `/`, whatever it was. It takes a fetch request's signal as it
 * stands, where it would build a second request around one of Node's.
 */
const requestPrototype = Object.create(globalThis.Request.prototype, {
  method: { value: 'POST' },
  url: { value: '/' },
  body: { value: {} },
  headers: { value: { get: () => 'application/json' } },
  signal: { value: neverAborted },
})

type AdapterHandler = (request: unknown, response: unknown) => Promise<void>

function invoke({ call: { route, context, getRawInput } }: { readonly call: Call }): Promise<unknown> {
  const { procedure, name } = route
  const options = { path: name, getRawInput, ctx: context, type: procedure._def.type }
  return procedure(options as unknown as Parameters<AnyProcedure>[0])
}

/**
 * The OpenAPI adapter before the router. Its look-up, its reading of paths, queries and bodies, its coercion (which would
 * change the shared contracts for good) and its error bodies are kept away from the procedures: the adapter sees one
 * path and an input schema of its own; the procedure gets the raw input of the request and checks it by its contract.
 */
function createAdapter(appRouter: AnyRouter): AdapterHandler {
  const definition = {
    procedure: true,
    type: 'mutation',
    inputs: [z.looseObject({})],
    output: z.unknown(),
    meta: { openapi: { method: 'POST', path: '/' } },
  }
  const facade = {
    // Error bodies are ours: whatever the adapter would make of one is not looked at.
    _def: {
      _config: { ...appRouter._def._config, errorFormatter: () => ({}) },
      procedures: { call: { _def: definition } },
    },
    createCaller: (context: { call: Call }) => ({ call: () => invoke(context) }),
  }
  return createOpenApiNodeHttpHandler({
    router: facade as unknown as OpenApiRouter,
    createContext: async ({ req }: { req: unknown }) => ({ call: (req as { call: Call }).call }),
    responseMeta: ({ ctx, data, errors }: { ctx?: unknown; data: unknown[]; errors: TRPCError[] }) => {
      const { call } = ctx as { call: Call }
      const [failure] = errors
      if (failure === undefined) call.data = data[0]
      else call.failure = failure
      return {}
    },
  } as unknown as Parameters<typeof createOpenApiNodeHttpHandler>[0]) as unknown as AdapterHandler
}

function run(adapter: AdapterHandler, call: Call): Promise<string | undefined> {
  const request: { call: Call } = Object.assign(Object.create(requestPrototype), { call })
  return new Promise((resolve, reject) => {
    const response = { statusCode: 200, setHeader: () => {}, end: resolve }
    adapter(request, response).catch(reject)
  })
}

/** Mounts every route of a router at its exact path. Unknown paths go on to the next handler. */
export function createRestMount(appRouter: AnyRouter, deps: Deps): RequestHandler {
  const adapter = createAdapter(appRouter)
  const match = createRouteTable(routesOf(appRouter))
  return async (request: Request, response: Response, next) => {
    const queryAt = request.url.indexOf('?')
    const path = queryAt < 0 ? request.url : request.url.slice(0, queryAt)
    const found = match(request.method === 'HEAD' ? 'GET' : request.method, path)
    // A route of kind express hides no other: it is served by what comes next.
    if (found === undefined || found.route.rest.kind === 'express') return next()
    const search = queryAt < 0 ? '' : request.url.slice(queryAt + 1)
    const call: Call = {
      route: found.route,
      context: createContext(deps, requestFacts(request, response, found.params)),
      getRawInput: () => restInput(found, search, request, response),
    }
    const json = await run(adapter, call)
    for (const [name, value] of call.context.responseHeaders) response.setHeader(name, value)
    if (call.failure !== undefined) sendFailure(call.failure, found.route, request, response, deps)
    else sendReply(found.route, call.data, json, response)
  }
}
