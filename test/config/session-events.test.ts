import { describe, expect, it } from 'vitest'
import { readConfig } from '../../server/config/config.js'
import { COMPLETE, line, refusalWith } from './environment.js'

describe('session events', () => {
  const POOLED = 'postgres://127.0.0.1:6432/credence?pgbouncer=true'
  const DIRECT = 'postgres://127.0.0.1:5432/credence'

  it.each([
    [{ EVENTS: 'redis' }, 'REDIS_URL must be defined where EVENTS is redis.'],
    [{ EVENTS: 'redis', NATS_URL: 'nats://127.0.0.1' }, 'REDIS_URL must be defined where EVENTS is redis.'],
    [{ EVENTS: 'nats', REDIS_URL: 'redis://127.0.0.1' }, 'NATS_URL must be defined where EVENTS is nats.'],
    [{ DATABASE_URL: POOLED }, 'DIRECT_DATABASE_URL must be defined where DATABASE_URL has pgbouncer=true.'],
    [{ DATABASE_URL: POOLED, DIRECT_DATABASE_URL: POOLED }, 'DIRECT_DATABASE_URL must not have pgbouncer=true.'],
  ])('cannot be announced without an address: %s', (changes, problem) => {
    expect(refusalWith(changes)).toBe(line(problem))
  })

  it('are announced over PostgreSQL by default, past a pooler if there is one', () => {
    const { databaseUrl, directDatabaseUrl, events } = readConfig({ ...COMPLETE, REDIS_URL: 'redis://127.0.0.1' })
    expect([directDatabaseUrl, events]).toEqual([databaseUrl, { transport: 'postgres' }])
    const pooled = readConfig({ ...COMPLETE, DATABASE_URL: POOLED, DIRECT_DATABASE_URL: DIRECT })
    expect([pooled.databaseUrl, pooled.directDatabaseUrl]).toEqual([POOLED, DIRECT])
    const by = (EVENTS: string) =>
      readConfig({ ...COMPLETE, EVENTS, REDIS_URL: 'redis://127.0.0.1', NATS_URL: 'nats://127.0.0.1' }).events
    expect(by('redis')).toEqual({ transport: 'redis', url: 'redis://127.0.0.1' })
    expect(by('nats')).toEqual({ transport: 'nats', url: 'nats://127.0.0.1' })
  })
})
