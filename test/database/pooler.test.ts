import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { connectDatabase, type Database, poolerOf } from '../../server/database/connect.js'
import { createMaintenanceStore } from '../../server/maintenance/store.js'
import { freePort, hasProgram } from '../events/servers.js'
import { type Issuer, JWT_VC, movingClock, startIssuer } from '../issuer/openid4vci/actors.js'
import { readEvents } from '../issuer/openid4vci/event-reader.js'
import { createTestDatabase, query, type TestDatabase } from '../support/postgres.js'

it.each([
  ['postgres://a:b@h:1/d?pgbouncer=true&sslmode=require', 'postgres://a:b@h:1/d?sslmode=require', true],
  ['postgres://a:b@h:1/d?pgbouncer=false', 'postgres://a:b@h:1/d?pgbouncer=false', false],
  ['postgres://a:b@h:1/d', 'postgres://a:b@h:1/d', false],
])('the address says whether there is a pooler in transaction mode: %s', (url, address, pooled) => {
  expect(poolerOf(url)).toEqual({ address, pooled })
})

/** PgBouncer refuses to run as root. */
const asNobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

interface Pooler {
  readonly url: string
  /** The application names of the pooler's connections, in order. */
  clients(): Promise<string[]>
  stop(): Promise<void>
}

async function startPooler(databaseUrl: string): Promise<Pooler> {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl)
  const database = pathname.slice(1)
  const directory = mkdtempSync(join(tmpdir(), 'credence-pgbouncer-'))
  const listening = await freePort()
  const file = join(directory, 'pgbouncer.ini')
  writeFileSync(join(directory, 'users.txt'), `"${username}" ""\n`)
  writeFileSync(
    file,
    [
      '[databases]',
      `${database} = host=${hostname} port=${port} dbname=${database} user=${username} password=${decodeURIComponent(password)}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${listening}`,
      'unix_socket_dir =',
      'auth_type = any',
      `admin_users = ${username}`,
      `auth_file = ${join(directory, 'users.txt')}`,
      'pool_mode = transaction',
      // The pooler has fewer connections than a process opens, so that statements change connections all the time.
      'default_pool_size = 3',
      'max_client_conn = 100',
    ].join('\n'),
  )
  chmodSync(directory, 0o755)
  chmodSync(file, 0o644)
  const child: ChildProcess = spawn('pgbouncer', [file], { stdio: ['ignore', 'pipe', 'pipe'], ...asNobody })
  await new Promise<void>((resolve, reject) => {
    let said = ''
    child.stderr?.on('data', (data) => {
      said += data
      if (said.includes('process up')) resolve()
    })
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`pgbouncer has ended: ${said}`)))
  })
  return {
    url: `postgres://${username}@127.0.0.1:${listening}/${database}?pgbouncer=true`,
    clients: async () => {
      const console = new pg.Client(`postgres://${username}@127.0.0.1:${listening}/pgbouncer`)
      await console.connect()
      const { rows } = await console.query('SHOW CLIENTS')
      await console.end()
      const names = rows.filter((row) => row.database === database).map((row) => row.application_name)
      return [...new Set<string>(names)].sort()
    },
    stop: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await ended
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

// This test needs PgBouncer on the machine (Debian: apt-get install pgbouncer). Otherwise it is skipped.
describe.skipIf(!hasProgram('pgbouncer'))('behind PgBouncer in transaction mode', () => {
  let database: TestDatabase
  let pooler: Pooler
  beforeAll(async () => {
    database = await createTestDatabase()
    pooler = await startPooler(database.url)
  })
  afterAll(async () => {
    await pooler.stop()
    await database.drop()
  })

  it('connections use UTC on every connection of the server, and prepare no statement', async () => {
    const pooled = connectDatabase(pooler.url, { max: 8 })
    const zRow = z.strictObject({ zone: z.string(), prepared: z.int(), at: z.date() })
    const statement = () => pooled.sql(zRow)`
      SELECT current_setting('TimeZone') AS zone, (SELECT count(*)::int FROM pg_prepared_statements) AS prepared,
        '2026-01-01T00:00:00Z'::timestamptz AS at`
    for (let round = 0; round < 5; round += 1) {
      const rows = (await Promise.all(Array.from({ length: 16 }, statement))).flat()
      for (const row of rows) expect(row).toEqual({ zone: 'UTC', prepared: 0, at: new Date('2026-01-01T00:00:00Z') })
    }
    expect(await pooled.prisma.schema.count()).toBe(0)
    await pooled.close()
  })

  it('maintenance runs in one process at a time, and in the next process after the first has finished or failed', async () => {
    const [one, other, direct] = [pooler.url, pooler.url, database.url].map((url) =>
      connectDatabase(url, { max: 2 }),
    ) as [Database, Database, Database]
    const [first, second] = [createMaintenanceStore(one), createMaintenanceStore(other)]
    const ran: string[] = []
    const work = (name: string) => async () => {
      ran.push(name)
    }
    try {
      const held = await first.exclusively(async () => {
        // The lock also applies to connections that bypass the pooler, because a transaction of the server holds it.
        expect(await second.exclusively(work('beside'))).toBe(false)
        expect(await createMaintenanceStore(direct).exclusively(work('past the pooler'))).toBe(false)
        ran.push('first')
      })
      expect(held).toBe(true)
      expect(await second.exclusively(work('second'))).toBe(true)
      await expect(first.exclusively(() => Promise.reject(new Error('a task failed')))).rejects.toThrow('a task failed')
      expect(await createMaintenanceStore(direct).exclusively(work('after the failure'))).toBe(true)
      expect(ran).toEqual(['first', 'second', 'after the failure'])
    } finally {
      await Promise.all([one.close(), other.close(), direct.close()])
    }
  })

  it('credentials are issued and watched; maintenance makes and drops partitions, and removes expired rows', async () => {
    const clock = movingClock()
    const issuer: Issuer = await startIssuer({
      clock: clock.now,
      databaseUrl: pooler.url,
      env: { DIRECT_DATABASE_URL: database.url },
    })
    const { credentialOfferSessionId: id } = await issuer.makeOffer()
    const authorization = await issuer.authorization()
    {
      await using events = await readEvents(issuer.service, `/credential-offer-sessions/${id}/events`, {
        authorization,
      })
      const next = async () => JSON.parse((await events.next()).data ?? '{}').state
      expect(await next()).toBe('Created')
      // The process listens for announcements on a direct connection.
      const listeners = () =>
        query(
          database.url,
          "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'credence-events'",
        )
      await expect.poll(listeners).not.toEqual([])
      expect(await pooler.clients()).toEqual(['credence'])
      expect((await issuer.take(await issuer.token(id), JWT_VC)).status).toBe(200)
      const states = [await next(), await next()]
      while (states.at(-1) !== 'CredentialIssued') states.push(await next())
      expect(states).toContain('TokenIssued')
    }
    const partitions = async () => {
      const rows = await query<{ name: string }>(
        database.url,
        "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'issuance_tokens'::regclass ORDER BY 1",
      )
      return rows.map(({ name }) => name)
    }
    const count = async () => {
      const [row] = await query<{ tokens: number; offers: number }>(
        database.url,
        'SELECT (SELECT count(*)::int FROM issuance_tokens) AS tokens, (SELECT count(*)::int FROM credential_offer_sessions) AS offers',
      )
      return row
    }
    const before = await partitions()
    expect(before.length).toBeGreaterThan(1)
    expect(await count()).toEqual({ tokens: 1, offers: 1 })
    clock.ahead = 100 * 86_400
    await expect.poll(count).toEqual({ tokens: 0, offers: 0 })
    // Only the default partition stays.
    await expect.poll(async () => (await partitions()).filter((name) => before.includes(name))).toHaveLength(1)
    expect((await partitions()).length).toBeGreaterThan(1)
    await issuer.service.close()
  })
})
