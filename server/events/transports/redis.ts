import { createClient } from 'redis'
import type { Log } from '../../log.js'
import type { MakeTransport } from '../transport.js'
import { inTime } from './in-time.js'

const CHANNEL = 'credence:events'
/** A connection on which nothing comes back for this long is dead; pings keep a living one busy. */
const SOCKET_TIMEOUT_MS = 5_000
const PING_INTERVAL_MS = 2_000

export interface RedisTransportOptions {
  readonly url: string
  readonly log: Log
}

/** Redis' PUBLISH and SUBSCRIBE, over a connection each. Both are made anew in the background for as long as it takes. */
export const redisTransport =
  ({ url, log }: RedisTransportOptions): MakeTransport =>
  ({ onMessage, onListening }) => {
    const connected = () => {
      const client = createClient({
        url,
        disableOfflineQueue: true,
        pingInterval: PING_INTERVAL_MS,
        socket: {
          socketTimeout: SOCKET_TIMEOUT_MS,
          reconnectStrategy: (retries) => Math.min(retries * 100, 2_000),
        },
      })
      client.on('error', (error: Error) => log.warn({ reason: error.message }, 'event connection lost'))
      return client
    }
    let publisher: ReturnType<typeof connected> | undefined
    let subscriber: ReturnType<typeof connected> | undefined

    return {
      async send(messages) {
        if (publisher === undefined) {
          publisher = connected()
          await inTime(publisher.connect())
        }
        const client = publisher
        await inTime(Promise.all(messages.map((message) => client.publish(CHANNEL, message))))
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
