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

it('applies missing migrations in the order of their names', async () => {
  await migration('20260102000000_second', 'ALTER TABLE a ADD COLUMN c text;')
  await migration('20260101000000_first', 'CREATE TABLE a (b integer);')
  await expect(start()).resolves.toEqual(['20260101000000_first', '20260102000000_second'])
  await migration('20260103000000_third', 'CREATE TABLE d (e integer);')
  await expect(start()).resolves.toEqual(['20260103000000_third'])
  await expect(tables()).resolves.toEqual(['a', 'd'])
})

it('applies each migration once, even if many processes start at once', async () => {
  await migration('20260101000000_first', 'CREATE TABLE a (b integer); SELECT pg_sleep(0.1); INSERT INTO a VALUES (1);')
  const outcomes = await Promise.all([start(), start(), start(), start(), start()])
  expect(outcomes.flat()).toEqual(['20260101000000_first'])
  await expect(query(database.url, 'SELECT b FROM a')).resolves.toEqual([{ b: 1 }])
})

it('does not split at semicolons in strings, comments and function bodies', async () => {
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

/** Reads the rows about all attempts to migrate, the oldest first. */
const attempts = () =>
  query(
    database.url,
    `SELECT migration_name AS name, checksum, logs, applied_steps_count AS steps, finished_at >= started_at AS finished,
       rolled_back_at IS NOT NULL AS undone FROM _prisma_migrations ORDER BY started_at`,
  )

describe('a migration that fails', () => {
  const name = '20260102000000_second'

  beforeEach(async () => {
    await migration('20260101000000_first', 'CREATE TABLE a (b integer);')
    await migration(name, 'CREATE TABLE c (d integer); CREATE TABLE e (f no_such_type);')
    await migration('20260103000000_third', 'CREATE TABLE g (h integer);')
  })

  it('is named with its cause and the next step, leaves no traces, and ends the start before the next migration', async () => {
    await expect(start()).rejects.toThrow(
      'Migration 20260102000000_second failed: type "no_such_type" does not exist [42704]. Nothing of it was applied. Remove the cause and start again.',
    )
    await expect(tables()).resolves.toEqual(['a'])
  })

  it('is tried again at the next start', async () => {
    await expect(start()).rejects.toThrow('no_such_type')
    await migration(name, 'CREATE TABLE c (d integer);')
    await expect(start()).resolves.toEqual([name, '20260103000000_third'])
    await expect(tables()).resolves.toEqual(['a', 'c', 'g'])
  })

  it('is recorded with its reason only once, even after several attempts', async () => {
    for (let time = 1; time <= 3; time += 1) await expect(start()).rejects.toThrow('no_such_type')
    await expect(attempts()).resolves.toMatchObject([
      { name: '20260101000000_first', logs: null, steps: 1, finished: true, undone: false },
      { name, logs: 'type "no_such_type" does not exist [42704]', steps: 0, finished: null, undone: true },
    ])
  })

  it('can also fail at its end, when a deferred constraint is checked', async () => {
    await migration(
      name,
      `CREATE TABLE c (d integer UNIQUE DEFERRABLE INITIALLY DEFERRED); INSERT INTO c VALUES (1), (1);`,
    )
    await expect(start()).rejects.toThrow(/failed: duplicate key value .* Nothing of it was applied/)
    await expect(tables()).resolves.toEqual(['a'])
  })
})

it('leaves no partial change if the connection is cut, and is applied at the next start', async () => {
  const cut = (sql: string) =>
    migration('20260101000000_first', `CREATE TABLE a (b integer); ${sql}; CREATE TABLE c (d integer);`)
  await cut('SELECT pg_terminate_backend(pg_backend_pid())')
  await expect(start()).rejects.toThrow(/terminat/)
  await expect(tables()).resolves.toEqual([])
  await cut('SELECT 1')
  await expect(start()).resolves.toEqual(['20260101000000_first'])
})

it('a setting that a migration makes for its session affects neither its record nor the next migration', async () => {
  await migration(
    '20260101000000_first',
    "SELECT set_config('search_path', '', false); CREATE TABLE public.a (b integer);",
  )
  await migration('20260102000000_second', 'CREATE TABLE c (d integer);')
  await start()
  await expect(tables()).resolves.toEqual(['a', 'c'])
})

describe('a statement that runs in no transaction', () => {
  const name = '20260102000000_second'
  const index = 'CREATE UNIQUE INDEX CONCURRENTLY a_b ON a (b);'

  const indexes = async () =>
    (await query(database.url, "SELECT indexname FROM pg_indexes WHERE tablename = 'a'")).map((row) => row.indexname)

  beforeEach(() => migration('20260101000000_first', 'CREATE TABLE a (b integer); INSERT INTO a VALUES (1);'))

  it('is applied in a migration of its own', async () => {
    await migration(name, index)
    await expect(start()).resolves.toEqual(['20260101000000_first', name])
    await expect(indexes()).resolves.toEqual(['a_b'])
    await expect(attempts()).resolves.toMatchObject([
      { finished: true },
      { name, logs: null, steps: 1, finished: true },
    ])
  })

  it('is refused together with other statements, and nothing is applied', async () => {
    await migration(name, `CREATE TABLE c (d integer); ${index}`)
    await expect(start()).rejects.toThrow(/such a statement must be the only one of its migration. Nothing of it was/)
    await expect(tables()).resolves.toEqual(['a'])
    await migration(name, index)
    await expect(start()).resolves.toEqual([name])
  })

  it('stops this start and the next start if it fails; the error names the possible repairs, and each repair works', async () => {
    await migration(name, index)
    await migration('20260101000000_first', 'CREATE TABLE a (b integer); INSERT INTO a VALUES (1), (1);')
    const refusal = await start().catch((error: Error) => error.message)
    expect(refusal).toMatch(/^Migration 20260102000000_second did not finish \(could not create unique index "a_b" /)
    await expect(start()).rejects.toThrow(
      'Migration 20260102000000_second did not finish, and may have been applied in part.',
    )
    await expect(indexes()).resolves.toEqual(['a_b'])

    const [undo = '', complete = ''] = String(refusal).match(/UPDATE .*;/g) ?? []
    await query(database.url, 'DELETE FROM a')
    await query(database.url, 'DROP INDEX a_b')
    await query(database.url, undo)
    await expect(start()).resolves.toEqual([name])
    await query(database.url, `UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = '${name}'`)
    const again = await start().catch((error: Error) => error.message)
    await query(database.url, String(again).match(/UPDATE .*;/g)?.[1] ?? complete)
    await expect(start()).resolves.toEqual([])
  })
})

it.each([
  ['commits', 'CREATE TABLE a (b integer); COMMIT; CREATE TABLE c (d no_such_type);', ['a']],
  ['rolls back', 'CREATE TABLE a (b integer); ROLLBACK; CREATE TABLE c (d integer);', ['c']],
])('a migration that itself %s its transaction counts as partly applied', async (_, sql, left) => {
  await migration('20260101000000_first', sql)
  await expect(start()).rejects.toThrow(/^Migration 20260101000000_first did not finish \(/)
  await expect(start()).rejects.toThrow(
    'Migration 20260101000000_first did not finish, and may have been applied in part.',
  )
  await expect(tables()).resolves.toEqual(left)
})

it('stops at a migration that another program began and did not finish', async () => {
  await migration('20260101000000_first', 'CREATE TABLE a (b integer);')
  await start()
  await query(
    database.url,
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, applied_steps_count)
     VALUES (gen_random_uuid(), 'x', '20260102000000_second', now(), 0)`,
  )
  await migration('20260102000000_second', 'CREATE TABLE c (d integer);')
  await expect(start()).rejects.toThrow(
    'Migration 20260102000000_second did not finish, and may have been applied in part.',
  )
  await expect(tables()).resolves.toEqual(['a'])
})

it('refuses a migration that was edited after it had been applied', async () => {
  await migration('20260101000000_first', 'CREATE TABLE a (b integer);')
  await start()
  await migration('20260101000000_first', 'CREATE TABLE a (b text);')
  await expect(start()).rejects.toThrow(
    'Migration 20260101000000_first was edited after it had been applied to this database. Put its migration.sql back as it was',
  )
})

it('does not treat other line ends as an edit', async () => {
  await migration('20260101000000_first', 'CREATE TABLE a (\n  b integer\n);\n')
  await start()
  await migration('20260101000000_first', 'CREATE TABLE a (\r\n  b integer\r\n);\r\n')
  await expect(start()).resolves.toEqual([])
})

it('stops at a migration that a later version has applied, and names it', async () => {
  await migration('20260101000000_first', 'CREATE TABLE a (b integer);')
  await migration('20260102000000_second', 'CREATE TABLE c (d integer);')
  await start()
  await rm(join(directory, '20260102000000_second'), { recursive: true })
  await migration('20260103000000_third', 'CREATE TABLE e (f integer);')
  await expect(start()).rejects.toThrow(
    'The database has the migration 20260102000000_second, which this version does not know: a later version has migrated it. Start that version, or restore a backup from before.',
  )
  await expect(tables()).resolves.toEqual(['a', 'c'])
})

it('stops at a database with tables of other programs, and changes nothing', async () => {
  await query(database.url, 'CREATE TABLE theirs (b integer)')
  await migration('20260101000000_first', 'CREATE TABLE a (b integer);')
  await expect(start()).rejects.toThrow(
    'The database is not empty and was never migrated by this service: it holds theirs. Name an empty one in DATABASE_URL.',
  )
  await expect(query(database.url, "SELECT to_regclass('_prisma_migrations') AS made")).resolves.toEqual([
    { made: null },
  ])
})

it('refuses to start without any migrations, as from an incomplete installation', async () => {
  await expect(start()).rejects.toThrow(`There are no migrations in ${directory}.`)
})
