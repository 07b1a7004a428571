import { inTime } from '../../in-time.js'
import type { Log } from '../../log.js'
import { type RedisClient, redisClient } from '../../redis.js'
import { ANSWER_TIMEOUT_MS, type MakeTransport } from '../transport.js'

const CHANNEL = 'credence:events'

export interface RedisTransportOptions {
  readonly url: string
  readonly log: Log
}

/** Redis' PUBLISH and SUBSCRIBE, over a connection each. Both are made anew in the background for as long as it takes. */
export const redisTransport =
  ({ url, log }: RedisTransportOptions): MakeTransport =>
  ({ onMessage, onListening }) => {
    const connected = () => redisClient(url, ({ message }) => log.warn({ reason: message }, 'event connection lost'))
    let publisher: RedisClient | undefined
    let subscriber: RedisClient | undefined

    return {
      async send(messages) {
        if (publisher === undefined) {
          publisher = connected()
          await inTime(publisher.connect(), ANSWER_TIMEOUT_MS)
        }
        const client = publisher
        await inTime(Promise.all(messages.map((message) => client.publish(CHANNEL, message))), ANSWER_TIMEOUT_MS)
      },
      listen() {
        if (subscriber !== undefined) return
        const client = connected()
        subscriber = client
        // A connection that is lost meanwhile is followed by another one, which is ready again.
        client.on('ready', () => client.subscribe(CHANNEL, onMessage).then(onListening, () => undefined))
        client.connect().catch(() => undefined)
      },
      close: async () => {
        publisher?.destroy()
        subscriber?.destroy()
      },
    }
  }
