import { type RedisClient, redisClient } from '../../database/redis.js'
import type { Log } from '../../log/log.js'
import { inTime } from '../../outbound/in-time.js'
import { ANSWER_TIMEOUT_MS, type MakeTransport } from '../transport.js'

const CHANNEL = 'credence:events'

export interface RedisTransportOptions {
  readonly url: string
  readonly log: Log
  /** Milliseconds without an answer after which the server counts as unreachable. Default: 5,000. */
  readonly answerMs?: number
}

/**
 * The transport over Redis. It uses PUBLISH and SUBSCRIBE, each over its own connection. Both reconnect in the
 * background without a time limit.
 */
export const redisTransport =
  ({ url, log, answerMs = ANSWER_TIMEOUT_MS }: RedisTransportOptions): MakeTransport =>
  ({ onMessage, onListening }) => {
    const connected = () => redisClient(url, ({ message }) => log.warn({ reason: message }, 'event connection lost'))
    let publisher: RedisClient | undefined
    let subscriber: RedisClient | undefined

    return {
      async send(messages) {
        if (publisher === undefined) {
          publisher = connected()
          await inTime(publisher.connect(), answerMs)
        }
        const client = publisher
        await inTime(Promise.all(messages.map((message) => client.publish(CHANNEL, message))), answerMs)
      },
      listen() {
        if (subscriber !== undefined) return
        const client = connected()
        subscriber = client
        // A new connection replaces a lost connection and subscribes when it is ready.
        client.on('ready', () => client.subscribe(CHANNEL, onMessage).then(onListening, () => undefined))
        client.connect().catch(() => undefined)
      },
      close: async () => {
        publisher?.destroy()
        subscriber?.destroy()
      },
    }
  }
