import type { Config } from '../../config/config.js'
import type { Log } from '../../log/log.js'
import type { MakeTransport } from '../transport.js'
import { postgresTransport } from './postgres.js'

/** The transport that EVENTS names. The clients of Redis and NATS are loaded only when they are used. */
export async function eventTransport({ events, directDatabaseUrl }: Config, log: Log): Promise<MakeTransport> {
  switch (events.transport) {
    case 'postgres':
      return postgresTransport({ databaseUrl: directDatabaseUrl, log })
    case 'redis':
      return (await import('./redis.js')).redisTransport({ url: events.url, log })
    case 'nats':
      return (await import('./nats.js')).natsTransport({ url: events.url, log })
  }
}
