import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { migrate } from '../../server/database/migrate.js'
import { withStartLock } from '../../server/database/start-lock.js'
import { createEmptyDatabase, query, type TestDatabase } from '../support/postgres.js'

let database: TestDatabase
let directory: string

beforeEach(async () => {
  database = await createEmptyDatabase()
  directory = await mkdtemp(join(tmpdir(), 'credence-migrations-'))
})

afterEach(async () => {
  await database.drop()
  await rm(directory, { recursive: true })
})

async function migration(name: string, sql: string): Promise<void> {
  await mkdir(join(directory, name), { recursive: true })
  await writeFile(join(directory, name, 'migration.sql'), sql)
}

const start = () => withStartLock(database.url, (lock) => migrate(lock, directory))

const tables = async () => {
  const sql =
    "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> '_prisma_migrations' ORDER BY 1"
  return (await query<{ tablename: string }>(database.url, sql)).map((row) => row.tablename)
}

it('applies what is missing, in the order of the names', async () => {
  await migration('20260102000000_second', 'ALTER TABLE a ADD COLUMN c text;')
  await migration('20260101000000_first', 'CREATE TABLE a (b integer);')
  await expect(start()).resolves.toEqual(['20260101000000_first', '20260102000000_second'])
  await migration('20260103000000_third', 'CREATE TABLE d (e integer);')
  await expect(start()).resolves.toEqual(['20260103000000_third'])
  await expect(tables()).resolves.toEqual(['a', 'd'])
})

it('does without the schema engine where nothing is missing', async () => {
  await migration('20260101000000_first', 'CREATE TABLE a (b integer);')
  await start()
  // The engine makes connections of its own, which would fail here.
  const again = withStartLock(database.url, ({ connection }) =>
    migrate({ connection, databaseUrl: 'postgresql://postgres:x@127.0.0.1:1/postgres' }, directory),
  )
  await expect(again).resolves.toEqual([])
})

it('applies each migration once, however many processes start at once', async () => {
  await migration('20260101000000_first', 'CREATE TABLE a (b integer); SELECT pg_sleep(0.1); INSERT INTO a VALUES (1);')
  const outcomes = await Promise.all([start(), start(), start(), start(), start()])
  expect(outcomes.flat()).toEqual(['20260101000000_first'])
  await expect(query(database.url, 'SELECT b FROM a')).resolves.toEqual([{ b: 1 }])
})

it('takes semicolons in strings, comments and function bodies for what they are', async () => {
  await migration(
    '20260101000000_first',
    `CREATE TABLE a (b text DEFAULT 'x;y'); -- one; two
     CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'append; only'; END; $$;
     CREATE TRIGGER append_only BEFORE UPDATE ON a FOR EACH ROW EXECUTE FUNCTION refuse();
     INSERT INTO a DEFAULT VALUES;`,
  )
  await start()
  await expect(query(database.url, 'SELECT b FROM a')).resolves.toEqual([{ b: 'x;y' }])
  await expect(query(database.url, "UPDATE a SET b = 'z'")).rejects.toThrow('append; only')
})

describe('a migration that fails', () => {
  const name = '20260102000000_second'

  beforeEach(async () => {
    await migration('20260101000000_first', 'CREATE TABLE a (b integer);')
    await migration(name, 'CREATE TABLE c (d integer); CREATE TABLE e (f no_such_type);')
  })

  it('is named with its cause, and leaves nothing of itself behind', async () => {
    await expect(start()).rejects.toThrow(
      /Migration 20260102000000_second failed: .*type "no_such_type" does not exist/s,
    )
    await expect(tables()).resolves.toEqual(['a'])
  })

  it('is tried again at the next start', async () => {
    await expect(start()).rejects.toThrow('no_such_type')
    await migration(name, 'CREATE TABLE c (d integer);')
    await expect(start()).resolves.toEqual([name])
    await expect(tables()).resolves.toEqual(['a', 'c'])
  })
})

it('goes on after a process that died while it migrated', async () => {
  await migration('20260101000000_first', 'CREATE TABLE a (b integer);')
  await start()
  await query(
    database.url,
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, applied_steps_count)
     VALUES (gen_random_uuid(), 'x', '20260102000000_second', now(), 0)`,
  )
  await migration('20260102000000_second', 'CREATE TABLE c (d integer);')
  await expect(start()).resolves.toEqual(['20260102000000_second'])
})

it('refuses a migration that was edited after it had been applied', async () => {
  await migration('20260101000000_first', 'CREATE TABLE a (b integer);')
  await start()
  await migration('20260101000000_first', 'CREATE TABLE a (b text);')
  await expect(start()).rejects.toThrow(
    'Migration 20260101000000_first was edited after it had been applied to this database.',
  )
})

it('leaves a database alone that a newer version has migrated further', async () => {
  await migration('20260101000000_first', 'CREATE TABLE a (b integer);')
  await migration('20260102000000_second', 'CREATE TABLE c (d integer);')
  await start()
  await rm(join(directory, '20260102000000_second'), { recursive: true })
  await expect(start()).resolves.toEqual([])
  await expect(tables()).resolves.toEqual(['a', 'c'])
})

it('refuses to start without any migrations, as from an incomplete installation', async () => {
  await expect(start()).rejects.toThrow(`There are no migrations in ${directory}.`)
})
