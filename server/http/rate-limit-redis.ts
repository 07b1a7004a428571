import { createHash } from 'node:crypto'
import type { Store } from 'express-rate-limit'
import { type RedisReply, RedisStore } from 'rate-limit-redis'
import { redisClient } from '../database/redis.js'
import type { Log } from '../log/log.js'
import { inTime } from '../outbound/in-time.js'
import { FallbackStore } from './rate-limit-fallback.js'

/** Maximum time that a request waits for Redis. */
const REPLY_TIMEOUT_MS = 1_000
/** Maximum time that the health check waits for Redis. It is short, since probes time out after a second. */
const CHECK_TIMEOUT_MS = 500

export interface RedisCounter {
  readonly store: Store
  /** `degraded` if Redis is unreachable and each process counts by itself. */
  readonly check: () => Promise<'up' | 'degraded'>
  readonly close: () => Promise<void>
}

/** Counts the rate limit in Redis, so that machines share it. While Redis is unreachable, each process counts by itself. */
export async function createRedisCounter(url: string, log: Log): Promise<RedisCounter> {
  const client = redisClient(url, ({ message }) => log.warn({ reason: message }, 'redis connection failed'))
  const sendCommand = async (...args: string[]): Promise<RedisReply> => {
    try {
      return await inTime(client.sendCommand<RedisReply>(args), REPLY_TIMEOUT_MS)
    } catch (error) {
      const [command, action, script = ''] = args
      // RedisStore loads each script once at start to get the script's name. If loading fails, RedisStore never works
      // again. The name is the SHA-1 of the script, so it is computed here. If Redis does not know the script later,
      // RedisStore loads it again.
      if (command === 'SCRIPT' && action === 'LOAD') return createHash('sha1').update(script).digest('hex')
      throw error
    }
  }
  // The client reconnects in the background; the start does not wait for it.
  await inTime(client.connect(), REPLY_TIMEOUT_MS).catch(() => undefined)
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
