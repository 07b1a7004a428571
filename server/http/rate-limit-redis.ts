import { createHash } from 'node:crypto'
import type { Store } from 'express-rate-limit'
import { type RedisReply, RedisStore } from 'rate-limit-redis'
import { createClient } from 'redis'
import type { Log } from '../log.js'
import { FallbackStore } from './rate-limit-fallback.js'

/** A request waits for Redis no longer than this. */
const REPLY_TIMEOUT_MS = 1_000
/** The health check waits no longer: probes time out after a second. */
const CHECK_TIMEOUT_MS = 500
/** A connection on which nothing comes back for this long is dead; pings keep a living one busy. */
const SOCKET_TIMEOUT_MS = 5_000
const PING_INTERVAL_MS = 2_000

export interface RedisCounter {
  readonly store: Store
  /** `degraded` where Redis is away and each process counts for itself. */
  readonly check: () => Promise<'up' | 'degraded'>
  readonly close: () => Promise<void>
}

function inTime<T>(reply: Promise<T>, ms = REPLY_TIMEOUT_MS): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('Redis does not answer.')), ms)
    reply.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/** Counts the rate limit in Redis, so that it holds across machines; while Redis is unavailable, each process counts for itself. */
export async function createRedisCounter(url: string, log: Log): Promise<RedisCounter> {
  const client = createClient({
    url,
    disableOfflineQueue: true,
    pingInterval: PING_INTERVAL_MS,
    socket: {
      socketTimeout: SOCKET_TIMEOUT_MS,
      reconnectStrategy: (retries) => Math.min(retries * 100, 2_000),
    },
  })
  client.on('error', (error: Error) => log.warn({ reason: error.message }, 'redis connection failed'))
  const sendCommand = async (...args: string[]): Promise<RedisReply> => {
    try {
      return await inTime(client.sendCommand<RedisReply>(args))
    } catch (error) {
      const [command, action, script = ''] = args
      // The store asks once for a script's name, which is its SHA-1, and would never recover from a refusal. Where the
      // script is not there when it is called, the store loads it.
      if (command === 'SCRIPT' && action === 'LOAD') return createHash('sha1').update(script).digest('hex')
      throw error
    }
  }
  // Reconnecting goes on in the background; a start does not wait for it.
  await inTime(client.connect()).catch(() => undefined)
  const store = new FallbackStore(new RedisStore({ prefix: 'credence:rate:', sendCommand }), (away, reason) => {
    if (away) log.warn({ reason: String(reason) }, 'redis is away: the rate limit is counted in each process')
    else log.info('redis is back: the rate limit is counted there')
  })
  return {
    store,
    check: async () => {
      const answers = await inTime(client.ping(), CHECK_TIMEOUT_MS).then(
        () => true,
        () => false,
      )
      return answers && !store.isAway ? 'up' : 'degraded'
    },
    close: async () => {
      store.shutdown()
      client.destroy()
    },
  }
}
