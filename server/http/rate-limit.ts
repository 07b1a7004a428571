import type { Request, RequestHandler } from 'express'
import { ipKeyGenerator, MemoryStore, rateLimit, type Store } from 'express-rate-limit'
import type { Deps } from '../deps.js'
import { errors } from '../errors.js'
import { REFERENCE_FILES } from './api-reference.js'
import { isHostedDidPath } from './paths.js'
import { MAX_BATCH } from './rpc.js'

const RPC = '/trpc/'

/** Addresses of one IPv6 network of this size are one client. */
const IPV6_NETWORK_BITS = 56

/** How many calls a request makes: the procedures that a batch names, ten at most, since larger ones are refused. */
function callsOf({ path }: Request): number {
  if (!path.startsWith(RPC)) return 1
  // A comma is one however it is written.
  return Math.min(path.slice(RPC.length).split(/,|%2c/i).length, MAX_BATCH)
}

const keyOf = (request: Request) => ipKeyGenerator(request.ip ?? '', IPV6_NETWORK_BITS)

/** @param isOwn tells requests that this service sends itself on behalf of one already counted. */
export function rateLimiter(
  { config, log, metrics }: Pick<Deps, 'config' | 'log' | 'metrics'>,
  store: Store = new MemoryStore(),
  isOwn: (path: string, method: string, mac: string | undefined) => boolean,
): RequestHandler {
  const { max, windowSeconds } = config.rateLimit
  const skip = (request: Request) => {
    const mac = request.headers['x-credence-internal']
    if (isHostedDidPath(request.path) || REFERENCE_FILES.has(request.path)) return true
    return typeof mac === 'string' && isOwn(request.path, request.method, mac)
  }
  const countOne = rateLimit({
    windowMs: windowSeconds * 1000,
    limit: max,
    standardHeaders: 'draft-7',
    legacyHeaders: false,
    store,
    keyGenerator: keyOf,
    // A failing counter must not make the service fail.
    passOnStoreError: true,
    logger: {
      warn: (error) => log.warn({ reason: String(error) }, 'rate limit'),
      error: (error) => log.warn({ reason: String(error) }, 'rate limit not counted'),
    },
    // Its checks of the first request's headers would let a stranger write warnings; the start-up warns of TRUST_PROXY.
    validate: false,
    skip,
    handler: (_request, _response, next) => {
      metrics.rateLimited()
      next(errors.tooManyRequests())
    },
  })
  return async (request, response, next) => {
    const further = skip(request) ? 0 : callsOf(request) - 1
    // The library counts requests: the first call of a batch is the one that it counts, after all others.
    const counted = Array.from({ length: further }, () => store.increment(keyOf(request)))
    for (const outcome of await Promise.allSettled(counted)) {
      if (outcome.status === 'rejected') log.warn({ reason: String(outcome.reason) }, 'rate limit not counted')
    }
    await countOne(request, response, next)
  }
}
