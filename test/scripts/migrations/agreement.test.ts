import { afterEach, beforeEach, expect, it } from 'vitest'
import { migrationList, withSchemaEngine } from '../../../scripts/migrations/schema-engine.js'
import { migrate } from '../../../server/database/migrate.js'
import { migrationsDirectory, readMigrations } from '../../../server/database/migrations.js'
import { withStartLock } from '../../../server/database/start-lock.js'
import { createEmptyDatabase, query, type TestDatabase } from '../../support/postgres.js'

// The engine behind `prisma migrate deploy` and `prisma migrate status`, as WebAssembly.
const directory = migrationsDirectory()
const filters = { externalTables: [], externalEnums: [] }

let database: TestDatabase
let other: TestDatabase

beforeEach(async () => {
  database = await createEmptyDatabase()
  other = await createEmptyDatabase()
})

afterEach(async () => {
  await database.drop()
  await other.drop()
})

const start = (url: string) => withStartLock(url, (lock) => migrate(lock))

/** Runs `prisma migrate deploy` with the first `count` migrations. */
async function deploy(url: string, count?: number): Promise<string[]> {
  const migrationsList = migrationList(directory, (await readMigrations(directory)).slice(0, count))
  return (await withSchemaEngine(url, (engine) => engine.applyMigrations({ migrationsList, filters })))
    .appliedMigrationNames
}

/** Returns the result of `prisma migrate status`. */
async function history(url: string) {
  const migrationsList = migrationList(directory, await readMigrations(directory))
  return withSchemaEngine(url, (engine) =>
    engine.diagnoseMigrationHistory({ migrationsList, optInToShadowDatabase: true, filters }),
  )
}

/**
 * Returns the next step that `prisma migrate dev` would take. It would reset a database that differs from its
 * migrations.
 */
async function nextStep(url: string) {
  const migrationsList = migrationList(directory, await readMigrations(directory))
  return withSchemaEngine(url, async (engine) => (await engine.devDiagnostic({ migrationsList, filters })).action.tag)
}

const inOrder = { editedMigrationNames: [], failedMigrationNames: [], hasMigrationsTable: true, history: null }

const columns = `SELECT column_name, ordinal_position, column_default, is_nullable, data_type, character_maximum_length
  FROM information_schema.columns WHERE table_name = '_prisma_migrations' ORDER BY ordinal_position`
const constraints = `SELECT conname, pg_get_constraintdef(oid) AS definition FROM pg_constraint
  WHERE conrelid = '_prisma_migrations'::regclass ORDER BY conname`
const rows = `SELECT length(id) AS id, checksum, migration_name, logs, rolled_back_at, applied_steps_count,
    finished_at >= started_at AS "in order", started_at > now() - interval '1 hour' AS recent
  FROM _prisma_migrations ORDER BY started_at`

it('the record equals the record of Prisma, both table and rows', async () => {
  await start(database.url)
  await deploy(other.url)
  for (const sql of [columns, constraints, rows]) {
    const recorded = await query(database.url, sql)
    expect(recorded).toEqual(await query(other.url, sql))
    expect(recorded).not.toEqual([])
  }
})

it('after a start, Prisma finds no work and no change', async () => {
  await start(database.url)
  await expect(history(database.url)).resolves.toEqual(inOrder)
  await expect(nextStep(database.url)).resolves.toBe('createMigration')
  await expect(deploy(database.url)).resolves.toEqual([])
})

it('a database that Prisma migrated can be used: a complete database needs no migration, otherwise the rest is applied', async () => {
  const names = (await readMigrations(directory)).map(({ name }) => name)
  await deploy(database.url)
  await expect(start(database.url)).resolves.toEqual([])
  await deploy(other.url, 3)
  await expect(start(other.url)).resolves.toEqual(names.slice(3))
  await expect(history(other.url)).resolves.toEqual(inOrder)
  await expect(nextStep(other.url)).resolves.toBe('createMigration')
})

it('Prisma repeats a failed migration that was undone, and a migration that failed in Prisma stops the start', async () => {
  const [first] = await readMigrations(directory)
  await start(database.url)
  const attempt = (rolledBackAt: string) =>
    query(
      database.url,
      `UPDATE _prisma_migrations SET finished_at = NULL, applied_steps_count = 0, logs = 'x', rolled_back_at = ${rolledBackAt}
       WHERE migration_name = $1`,
      [first?.name],
    )
  await attempt('now()')
  expect(await history(database.url)).toMatchObject({
    failedMigrationNames: [],
    history: { diagnostic: 'databaseIsBehind', unappliedMigrationNames: [first?.name] },
  })
  await attempt('NULL')
  expect(await history(database.url)).toMatchObject({ failedMigrationNames: [first?.name] })
  await expect(start(database.url)).rejects.toThrow(`Migration ${first?.name} did not finish`)
})
