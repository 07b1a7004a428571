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

/** Addresses of one IPv6 network of this size are one client. */
const IPV6_NETWORK_BITS = 56

/** How many calls a request makes: the procedures that a batch names, ten at most, since larger ones are refused. */
function callsOf({ path }: Request): number {
  if (!path.startsWith(RPC)) return 1
  // A comma is one however it is written.
  return Math.min(path.slice(RPC.length).split(/,|%2c/i).length, MAX_BATCH)
}

const addressOf = (request: Request) => ipKeyGenerator(request.ip ?? '', IPV6_NETWORK_BITS)

/** Where a request is counted, and how many may be. */
interface Bucket {
  readonly key: string
  readonly max: number
}

/** What the limit counts with. */
export interface RateLimitPorts {
  readonly config: Pick<Config, 'console' | 'rateLimit'>
  readonly log: Pick<Log, 'warn'>
  readonly metrics: Pick<Metrics, 'rateLimited'>
  /** Undefined where users cannot log in. */
  readonly consoleSessions: Pick<ConsoleSessions, 'counted'> | undefined
  /** Whether the limit is of the public listener, whose callers are counted apart. */
  readonly ofStrangers: boolean
}

/**
 * Calls of the console are counted for each session, and with AUTH_DISABLED, where there are none, for the address; all else for the
 * address, in a count of its own: made-up sessions, those that ended, and logins too.
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
    // A tunnel's strangers come from the address of whoever works here: they must not use their calls up.
    return { key: ofStrangers ? `public ${address}` : address, max }
  }
}

/**
 * @param isUncounted tells paths that are never counted
 * @param isOwn tells requests that this service sends itself on behalf of one already counted
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
    // A failing counter must not make the service fail.
    passOnStoreError: true,
    logger: {
      warn: (error) => log.warn({ reason: String(error) }, 'rate limit'),
      error: (error) => log.warn({ reason: String(error) }, 'rate limit not counted'),
    },
    // Its checks of the first request's headers would let a stranger write warnings; the start-up warns of TRUST_PROXY.
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
    // The library counts requests: the first call of a batch is the one that it counts, after all others.
    const counted = Array.from({ length: further }, () => store.increment(bucket.key))
    for (const outcome of await Promise.allSettled(counted)) {
      if (outcome.status === 'rejected') log.warn({ reason: String(outcome.reason) }, 'rate limit not counted')
    }
    await countOne(request, response, next)
  }
}
