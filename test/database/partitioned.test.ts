import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrate } from '../../server/database/migrate.js'
import { migrationsDirectory } from '../../server/database/migrations.js'
import { withStartLock } from '../../server/database/start-lock.js'
import { createEmptyDatabase, createTestDatabase, query, type TestDatabase } from '../support/postgres.js'

/**
 * The facts that schema.prisma cannot express: the partitioned tables, their partition keys, and the default partition
 * of each.
 */
const PARTITIONED = [
  { name: 'audit_events', by: 'RANGE (at)', others: 'audit_events_default' },
  { name: 'issuance_tokens', by: 'RANGE (expires_at)', others: 'issuance_tokens_default' },
  { name: 'session_events', by: 'RANGE (at)', others: 'session_events_default' },
  { name: 'used_nonces', by: 'RANGE (expires_at)', others: 'used_nonces_default' },
  { name: 'webhook_deliveries', by: 'RANGE (at)', others: 'webhook_deliveries_default' },
]

it('the tables are partitioned by time, each with a default partition', async () => {
  await using database = await createTestDatabase()
  const tables = await query(
    database.url,
    `SELECT partrelid::regclass::text AS name, pg_get_partkeydef(partrelid) AS by, partdefid::regclass::text AS others
     FROM pg_partitioned_table ORDER BY 1`,
  )
  expect(tables).toEqual(PARTITIONED)
  // A new installation never writes into a default partition.
  await query(database.url, "INSERT INTO used_nonces VALUES ('first', now() + interval '10 minutes')")
  await query(
    database.url,
    `INSERT INTO issuance_tokens (token_hash, offering_id, expires_at) VALUES ('first', 'x', now() + interval '1 hour')`,
  )
  await query(database.url, "INSERT INTO audit_events (action, subject, subject_id) VALUES ('x', 'x', 'first')")
  await query(database.url, "INSERT INTO session_events VALUES ('first', 2, '{}', now())")
  for (const { others } of PARTITIONED) expect(await query(database.url, `SELECT 1 FROM ${others}`)).toEqual([])
})

describe('an installation that is older than the partitions', () => {
  let database: TestDatabase
  const run = (sql: string, values: unknown[] = []) => query(database.url, sql, values)

  beforeAll(async () => {
    database = await createEmptyDatabase()
    const directory = await mkdtemp(join(tmpdir(), 'credence-migrations-'))
    for (const name of (await readdir(migrationsDirectory())).filter((name) => name < '20261122221500_p'))
      await cp(join(migrationsDirectory(), name), join(directory, name), { recursive: true })
    await withStartLock(database.url, (lock) => migrate(lock, directory))
    await rm(directory, { recursive: true })
    await run(`
      INSERT INTO used_nonces SELECT 'nonce ' || n, now() + n * interval '3 seconds' FROM generate_series(-1000, 100) AS n;
      SET session_replication_role = replica;
      INSERT INTO issuance_tokens (token_hash, jti, offering_id, expires_at)
      SELECT 'token ' || n, 'code ' || n, 'offering', now() + n * interval '3 seconds' FROM generate_series(-1000, 100) AS n;
      INSERT INTO audit_events (at, action, subject, subject_id)
      SELECT now() - n * interval '1 day', 'x', 'x', 'id ' || n FROM generate_series(0, 1000) AS n;
      INSERT INTO session_events (session_id, seq, changes, at)
      SELECT 'session ' || n, 2, '{}', now() - n * interval '1 hour' FROM generate_series(0, 1000) AS n`)
    await withStartLock(database.url, (lock) => migrate(lock))
  })
  afterAll(() => database.drop())

  it('keeps its rows', async () => {
    expect(
      await run(`SELECT (SELECT count(*)::int FROM used_nonces WHERE hash LIKE 'nonce%') AS nonces,
        (SELECT count(*)::int FROM issuance_tokens) AS tokens, (SELECT max(id)::int FROM audit_events) AS last,
        (SELECT count(*)::int FROM audit_events) AS audited, (SELECT count(*)::int FROM session_events) AS events`),
    ).toEqual([{ nonces: 1101, tokens: 1101, last: 1001, audited: 1001, events: 1001 }])
    for (const { others } of PARTITIONED) expect(await run(`SELECT 1 FROM ${others}`)).toEqual([])
    await run("INSERT INTO audit_events (action, subject, subject_id) VALUES ('x', 'x', 'next')")
    expect(await run('SELECT max(id)::int AS last FROM audit_events')).toEqual([{ last: 1002 }])
    for (const sql of ['DELETE FROM', 'TRUNCATE'])
      await expect(run(`${sql} audit_events_former`)).rejects.toThrow('audit_events is append-only')
  })

  it('refuses nonces and codes that were used before, with any expiry', async () => {
    for (const hash of ['nonce 100', 'nonce 1', 'code 100', 'code 1'])
      for (const seconds of [1, 300, 600, 900])
        expect(
          await run(
            `INSERT INTO used_nonces VALUES ($1, now() + $2 * interval '1 second') ON CONFLICT DO NOTHING RETURNING hash`,
            [hash, seconds],
          ),
        ).toEqual([])
  })

  it('has partitions for the following hours', async () => {
    expect(
      await run(`INSERT INTO used_nonces VALUES ('x', now() + interval '20 hours') RETURNING tableoid::regclass::text`),
    ).not.toEqual([{ tableoid: 'used_nonces_default' }])
    const [former] = await run("SELECT 1 FROM pg_inherits WHERE inhrelid = 'used_nonces_former'::regclass")
    expect(former).toBeDefined()
  })
})
