import type { Store } from 'express-rate-limit'
import { type RedisReply, RedisStore } from 'rate-limit-redis'
import { createClient } from 'redis'
import type { Log } from '../log.js'

export interface RedisCounter {
  readonly store: Store
  /** Rejects where Redis is away. */
  readonly check: () => Promise<unknown>
  readonly close: () => Promise<void>
}

/** Counts the rate limit in Redis, so that it holds across machines. Redis may be away: requests are then not counted. */
export async function createRedisCounter(url: string, log: Log): Promise<RedisCounter> {
  const client = createClient({
    url,
    disableOfflineQueue: true,
    socket: { reconnectStrategy: (retries) => Math.min(retries * 100, 2_000) },
  })
  client.on('error', (error: Error) => log.warn({ reason: error.message }, 'redis connection failed'))
  // Reconnecting goes on in the background; a start does not wait for it.
  await Promise.race([
    client.connect().catch(() => undefined),
    new Promise((resolve) => setTimeout(resolve, 1_000).unref()),
  ])
  const store = new RedisStore({
    prefix: 'credence:rate:',
    sendCommand: (...args: string[]) => client.sendCommand(args) as Promise<RedisReply>,
  })
  return { store, check: () => client.ping(), close: async () => client.destroy() }
}
