import pg from 'pg'
import { type Migration, migrationList, migrationsDirectory, readMigrations } from './migrations.js'
import { withSchemaEngine } from './schema-engine.js'
import type { StartLock } from './start-lock.js'

/** SQLSTATE undefined_table: nothing was ever migrated here. */
const undefinedTable = '42P01'

/**
 * Applies the migrations that the database lacks, in order, each whole or not at all.
 *
 * @param lock from `withStartLock`: two processes must not migrate one database at once
 * @returns the names of those applied now
 * @throws {Error} naming the migration that failed, or that was edited after it had been applied
 */
export async function migrate(lock: StartLock, directory = migrationsDirectory()): Promise<string[]> {
  const migrations = await readMigrations(directory)
  if (migrations.length === 0) throw new Error(`There are no migrations in ${directory}.`)
  const applied = await readApplied(lock.connection)
  const edited = migrations.find(({ name, checksum }) => (applied.get(name) ?? checksum) !== checksum)
  if (edited !== undefined) {
    throw new Error(`Migration ${edited.name} was edited after it had been applied to this database.`)
  }
  if (migrations.every(({ name }) => applied.has(name))) return []
  await forgetUnfinished(lock.connection)
  return apply(lock, directory, migrations)
}

async function apply(lock: StartLock, directory: string, migrations: readonly Migration[]): Promise<string[]> {
  try {
    const { appliedMigrationNames } = await withSchemaEngine(lock.databaseUrl, (engine) =>
      engine.applyMigrations({
        migrationsList: migrationList(directory, migrations),
        filters: { externalTables: [], externalEnums: [] },
      }),
    )
    return appliedMigrationNames
  } catch (error) {
    const failed = await forgetUnfinished(lock.connection)
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`Migration ${failed.join(', ')} failed: ${reason}`, { cause: error })
  }
}

/** Names and checksums of what the database has. */
async function readApplied(connection: pg.Client): Promise<Map<string, string>> {
  try {
    const { rows } = await connection.query<{ migration_name: string; checksum: string }>(
      'SELECT migration_name, checksum FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL',
    )
    return new Map(rows.map((row) => [row.migration_name, row.checksum]))
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === undefinedTable) return new Map()
    throw error
  }
}

/**
 * Marks what began and did not end as rolled back, which it was: each migration is one transaction. Otherwise the engine
 * would refuse to go on after a failure or a crash.
 */
async function forgetUnfinished(connection: pg.Client): Promise<string[]> {
  try {
    const { rows } = await connection.query<{ migration_name: string }>(
      'UPDATE _prisma_migrations SET rolled_back_at = now() WHERE finished_at IS NULL AND rolled_back_at IS NULL RETURNING migration_name',
    )
    return rows.map((row) => row.migration_name)
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === undefinedTable) return []
    throw error
  }
}
