import { getTRPCErrorFromUnknown, getTRPCErrorShape, transformTRPCResponse } from '@trpc/server'
import { createExpressMiddleware } from '@trpc/server/adapters/express'
import type { TRPCRequestInfo } from '@trpc/server/http'
import type { Request, RequestHandler, Response } from 'express'
import { type Context, REPLAYED } from '../api/context.js'
import { errors, StreamEnd } from '../api/errors.js'
import { assertPlainJson } from '../api/json-text.js'
import { NEXT_CURSOR } from '../api/paging.js'
import { publicError } from '../api/public-error.js'
import type { AppRouter } from '../router.js'
import { mediaType, readText } from './body.js'
import type { ContextOf } from './contexts.js'
import { type Failures, sayWhenToRetry } from './failure.js'
import { NO_PROCEDURE, noteCalls, noteFailedCall } from './request-metrics.js'

export const MAX_BATCH = 10
const JSON_TYPE = 'application/json'

/**
 * The complete `Vary` header. The adapter sets only its own names, and would drop the name `origin`, which the CORS
 * policy has added.
 */
const HEADERS = { vary: 'origin, trpc-accept, accept' }

/** Headers of procedures that a single call has too. */
const SENT_ON_RPC: ReadonlySet<string> = new Set([NEXT_CURSOR, 'set-cookie', REPLAYED])

/**
 * Headers of a single call. The answer to a batch has no such headers, since a header would not show which call of the
 * batch its cursor belongs to.
 */
function headersOf(ctx: Context | undefined): Record<string, string> {
  const added = [...(ctx?.responseHeaders ?? [])]
  return Object.fromEntries(added.filter(([name]) => SENT_ON_RPC.has(name)))
}

/** The methods of RPC. The adapter makes a request of the Fetch API, which refuses some other methods. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST'])

/** Answers all other methods with a 405 and a list of the allowed methods (RFC 9110 §15.5.6). */
function allowMethods(): RequestHandler {
  return ({ method }, response, next) => {
    if (METHODS.has(method)) return next()
    response.setHeader('allow', [...METHODS].join(', '))
    next(errors.methodNotAllowed(method))
  }
}

/**
 * Returns path and query of a request below `/trpc`. A path that begins with two slashes is refused, because a URL
 * parser would read a host in it.
 *
 * @throws 404
 */
function ownAddress({ method, baseUrl, path, url }: Request): string {
  if (path.startsWith('//')) throw errors.routeNotFound(method, `${baseUrl}${path}`)
  const query = url.indexOf('?')
  return query < 0 ? path : `${path}${url.slice(query)}`
}

/** Applies the limits of REST to inputs in query and body. The adapter then parses the text that was read. */
function readInput(): RequestHandler {
  return async (request, response, next) => {
    const input = new URL(ownAddress(request), 'http://localhost').searchParams.get('input')
    if (input !== null) assertPlainJson(input)
    if (request.method === 'POST') {
      // The adapter would convert a form or a stream to an object that no contract expects.
      const type = mediaType(request)
      if (type !== JSON_TYPE) throw errors.unsupportedMediaType(type || 'unknown')
      const text = await readText(request, response)
      assertPlainJson(text)
      request.body = text.trim() === '' ? undefined : text
    }
    next()
  }
}

/** The ports of {@link createRpcMount}. */
export interface RpcPorts {
  readonly contextOf: ContextOf
  readonly failures: Pick<Failures, 'logged' | 'production'>
}

/**
 * Serves the procedures as typed RPC, for clients that use this repository's types: with superjson, batches of ten and
 * subscriptions over SSE.
 */
export function createRpcMount(appRouter: AppRouter, { contextOf, failures }: RpcPorts): RequestHandler[] {
  const { production } = failures
  const { procedures } = appRouter._def
  const nameOf = (path = '') => (Object.hasOwn(procedures, path) ? path : NO_PROCEDURE)
  const adapter = createExpressMiddleware({
    router: appRouter,
    maxBatchSize: MAX_BATCH,
    createContext: ({ req, res, info }: { req: Request; res: Response; info: TRPCRequestInfo }) => {
      noteCalls(
        res,
        info.calls.map(({ path }) => nameOf(path)),
      )
      return { ...contextOf(req, res), calls: info.calls.length }
    },
    // Some HTTP statuses have no RPC error code. The answer to a single call has the exact status nevertheless.
    responseMeta: ({ errors, paths, ctx }) => {
      const [error] = errors
      const single = (paths?.length ?? 0) <= 1
      if (error === undefined || !single) return { headers: { ...HEADERS, ...(single ? headersOf(ctx) : {}) } }
      return { headers: HEADERS, status: publicError(error, production).status }
    },
    onError: ({ error, path, req }) => {
      const response = req.res
      if (response === undefined || error instanceof StreamEnd) return
      const { status } = publicError(error, production)
      noteFailedCall(response, nameOf(path), status)
      sayWhenToRetry(error, response)
      failures.logged(error, status, req, response)
    },
  })
  const call: RequestHandler = (request, response, next) => {
    // The adapter appends `request.url` to the host. A URL in absolute form (RFC 9112 §3.2.2) could name a foreign
    // host, or a user.
    request.url = ownAddress(request)
    return adapter(request, response, next)
  }
  return [allowMethods(), readInput(), call]
}

/** Answers a request that failed before it reached a procedure (rate limit, body) as a failed call. */
export function sendRpcFailure(
  thrown: unknown,
  appRouter: AppRouter,
  request: Request,
  response: Response,
  { contextOf, failures }: RpcPorts,
): void {
  const { _config: config } = appRouter._def
  const error = getTRPCErrorFromUnknown(thrown)
  const { status } = publicError(error, failures.production)
  failures.logged(error, status, request, response)
  const ctx = contextOf(request, response)
  const shape = getTRPCErrorShape({ config, error, type: 'unknown', path: undefined, input: undefined, ctx })
  response.status(status).json(transformTRPCResponse(config, { error: shape }))
}
