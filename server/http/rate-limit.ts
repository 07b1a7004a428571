import type { Request, RequestHandler } from 'express'
import { ipKeyGenerator, MemoryStore, rateLimit, type Store } from 'express-rate-limit'
import { errors } from '../api/errors.js'
import type { Config } from '../config/config.js'
import { isOfConsole } from '../console/sessions/cookies.js'
import type { ConsoleSessions } from '../console/sessions/sessions.js'
import type { Log } from '../log/log.js'
import type { Metrics } from '../metrics/metrics.js'
import type { IsPath } from './paths.js'
import { MAX_BATCH } from './rpc.js'

const RPC = '/trpc/'

/** IPv6 addresses that share this many leading bits count as one client. */
const IPV6_NETWORK_BITS = 56

/** The number of calls in a request. A batch has at most ten calls, since larger batches are refused. */
function callsOf({ path }: Request): number {
  if (!path.startsWith(RPC)) return 1
  // An encoded comma is a separator too.
  return Math.min(path.slice(RPC.length).split(/,|%2c/i).length, MAX_BATCH)
}

const addressOf = (request: Request) => ipKeyGenerator(request.ip ?? '', IPV6_NETWORK_BITS)

/** The counter of a request, and its limit. */
interface Bucket {
  readonly key: string
  readonly max: number
}

/** The ports of {@link rateLimiter}. */
export interface RateLimitPorts {
  readonly config: Pick<Config, 'console' | 'rateLimit'>
  readonly log: Pick<Log, 'warn'>
  readonly metrics: Pick<Metrics, 'rateLimited'>
  /** Undefined if users cannot sign in. */
  readonly consoleSessions: Pick<ConsoleSessions, 'counted'> | undefined
  /** True for the public listener, whose callers have separate counters. */
  readonly ofStrangers: boolean
}

/**
 * The counter of a request. Calls of the console are counted by console session. With AUTH_DISABLED there are no
 * sessions, so they are counted by address. All other requests are counted by address, in a second counter of the
 * address. This includes logins and requests with forged or ended sessions.
 */
function bucketOf({
  config,
  consoleSessions,
  ofStrangers,
}: Pick<RateLimitPorts, 'config' | 'consoleSessions' | 'ofStrangers'>) {
  const {
    console,
    rateLimit: { max },
  } = config
  const openTo = (request: Request) =>
    console?.mode === 'open' && isOfConsole(request.headers, `${request.protocol}://${request.headers.host}`)
  return async (request: Request): Promise<Bucket> => {
    const address = addressOf(request)
    if (console !== undefined) {
      const session = await consoleSessions?.counted(request.headers).catch(() => undefined)
      if (session !== undefined) return { key: `console ${session}`, max: console.rateLimitMax }
      if (openTo(request)) return { key: `console ${address}`, max: console.rateLimitMax }
    }
    // Callers of the public listener have a separate counter. Behind a tunnel they have the same address as local
    // users, and they must not use up the limit of the local users.
    return { key: ofStrangers ? `public ${address}` : address, max }
  }
}

/**
 * @param isUncounted true for paths that are never counted
 * @param isOwn true for requests that this service sends to itself for a request that is already counted
 */
export function rateLimiter(
  ports: RateLimitPorts,
  store: Store = new MemoryStore(),
  isUncounted: IsPath,
  isOwn: (path: string, method: string, mac: string | undefined) => boolean,
): RequestHandler {
  const { config, log, metrics } = ports
  const find = bucketOf(ports)
  const buckets = new WeakMap<Request, Bucket>()
  const { windowSeconds } = config.rateLimit
  const skip = (request: Request) => {
    if (isUncounted(request.path)) return true
    const mac = request.headers['x-credence-internal']
    return typeof mac === 'string' && isOwn(request.path, request.method, mac)
  }
  const countOne = rateLimit({
    windowMs: windowSeconds * 1000,
    limit: (request) => buckets.get(request)?.max ?? config.rateLimit.max,
    standardHeaders: 'draft-7',
    legacyHeaders: false,
    store,
    keyGenerator: (request) => buckets.get(request)?.key ?? addressOf(request),
    // If the counter fails, requests must still be answered.
    passOnStoreError: true,
    logger: {
      warn: (error) => log.warn({ reason: String(error) }, 'rate limit'),
      error: (error) => log.warn({ reason: String(error) }, 'rate limit not counted'),
    },
    // The library would validate the headers of the first request and log warnings that a stranger could cause. The
    // service already warns about TRUST_PROXY at its start.
    validate: false,
    handler: (_request, _response, next) => {
      metrics.rateLimited()
      next(errors.tooManyRequests())
    },
  })
  return async (request, response, next) => {
    if (skip(request)) return next()
    const bucket = await find(request)
    // 0 turns a limit off.
    if (bucket.max === 0) return next()
    buckets.set(request, bucket)
    const further = callsOf(request) - 1
    // The library counts one call per request. The further calls of a batch are counted here first.
    const counted = Array.from({ length: further }, () => store.increment(bucket.key))
    for (const outcome of await Promise.allSettled(counted)) {
      if (outcome.status === 'rejected') log.warn({ reason: String(outcome.reason) }, 'rate limit not counted')
    }
    await countOne(request, response, next)
  }
}
