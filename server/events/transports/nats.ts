import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import type { Log } from '../../log/log.js'
import { inTime } from '../../outbound/in-time.js'
import { ANSWER_TIMEOUT_MS, type MakeTransport } from '../transport.js'

const SUBJECT = 'credence.events'
const RECONNECT_MS = 500
const PING_INTERVAL_MS = 5_000
/** Pause after the server has refused a connection. */
const REFUSED_MS = 5_000

export interface NatsTransportOptions {
  /** `nats://user:password@host:port`, `nats://token@host:port`, or `tls://…`. */
  readonly url: string
  readonly log: Log
  /** Milliseconds without an answer after which the server counts as unreachable. Default: 5,000. */
  readonly answerMs?: number
}

/** The client's options from a URL. The credentials and the address are separate options. */
export function natsOptions(url: string) {
  const { protocol, host, username, password } = new URL(url)
  const [user, pass] = [decodeURIComponent(username), decodeURIComponent(password)]
  const who = user === '' ? {} : pass === '' ? { token: user } : { user, pass }
  return { servers: host, ...who, ...(protocol === 'tls:' ? { tls: {} } : {}) }
}

/**
 * The transport over NATS. It publishes and subscribes over one connection. A lost connection is opened again in the
 * background, without a time limit.
 */
export const natsTransport =
  ({ url, log, answerMs = ANSWER_TIMEOUT_MS }: NatsTransportOptions): MakeTransport =>
  ({ onMessage, onListening }) => {
    let connecting: Promise<NatsConnection> | undefined
    let connection: NatsConnection | undefined
    let listening = false
    let away = true
    let closed = false

    /** Follows the state of the connection until it is closed. */
    const watch = async (client: NatsConnection): Promise<void> => {
      for await (const { type } of client.status()) {
        if (type === 'disconnect') {
          away = true
          log.warn({ reason: 'disconnected' }, 'event connection lost')
        } else if (type === 'reconnect') {
          away = false
          // When the client reports this status, it has already subscribed again.
          if (listening) onListening()
        }
      }
    }

    const open = (): Promise<NatsConnection> => {
      connecting ??= connect({
        ...natsOptions(url),
        name: 'credence-events',
        waitOnFirstConnect: true,
        maxReconnectAttempts: -1,
        reconnectTimeWait: RECONNECT_MS,
        pingInterval: PING_INTERVAL_MS,
      }).then(
        async (client) => {
          if (closed) await client.close()
          connection = client
          away = false
          void watch(client)
          return client
        },
        (error: unknown) => {
          // The server is reachable, but it refuses the connection. The next call of this function tries again.
          connecting = undefined
          throw error
        },
      )
      return connecting
    }

    const subscribe = async (): Promise<void> => {
      const client = await open()
      client.subscribe(SUBJECT, {
        callback: (error, message) => {
          if (error === null) onMessage(message.string())
        },
      })
      await client.flush()
      onListening()
    }

    const subscribeAtLast = async (): Promise<void> => {
      while (!closed) {
        try {
          return await subscribe()
        } catch (error) {
          if (closed) return
          log.warn({ reason: error instanceof Error ? error.message : String(error) }, 'event connection lost')
          await sleep(REFUSED_MS, undefined, { ref: false })
        }
      }
    }

    return {
      async send(messages) {
        const client = await inTime(open(), answerMs)
        // During an outage nothing is published, since the messages would wait in memory.
        if (away) throw new Error('Not connected.')
        for (const message of messages) client.publish(SUBJECT, message)
        await inTime(client.flush(), answerMs)
      },
      listen() {
        if (listening) return
        listening = true
        void subscribeAtLast()
      },
      check: async () => (listening && away ? 'degraded' : 'up'),
      close: async () => {
        closed = true
        await connection?.close()
      },
    }
  }
