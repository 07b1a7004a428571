import { createClient } from 'redis'

/**
 * A connection counts as dead if no answer arrives for this time. Pings make sure that a healthy connection has
 * answers.
 */
const SOCKET_TIMEOUT_MS = 5_000
const PING_INTERVAL_MS = 2_000

/** The pauses before the first attempts to reconnect. Each pause is longer than the previous pause. */
const RETRY_STEP_MS = 100
const MAX_RETRY_MS = 2_000

export type RedisClient = ReturnType<typeof redisClient>

/**
 * Makes a Redis client that is not connected yet. The client reconnects in the background without a time limit.
 * Commands during an outage fail immediately.
 *
 * @param onError called for each connection that fails.
 */
export function redisClient(url: string, onError: (error: Error) => void) {
  const client = createClient({
    url,
    disableOfflineQueue: true,
    pingInterval: PING_INTERVAL_MS,
    socket: {
      socketTimeout: SOCKET_TIMEOUT_MS,
      reconnectStrategy: (retries) => Math.min(retries * RETRY_STEP_MS, MAX_RETRY_MS),
    },
  })
  client.on('error', onError)
  return client
}
