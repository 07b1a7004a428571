import { applyMigration } from './apply-migration.js'
import { MigrationError } from './migration-error.js'
import { MigrationHistory, type MigrationRecord } from './migration-history.js'
import { isChecksumOf, type Migration, migrationsDirectory, readMigrations } from './migrations.js'
import type { StartLock } from './start-lock.js'

/**
 * Applies the missing migrations in the order of their names, and records them in `_prisma_migrations` like Prisma's
 * command line. If possible, one transaction applies and records a migration.
 *
 * @param lock from `withStartLock`: two processes must not migrate one database at once
 * @returns the names of the newly applied migrations
 * @throws {MigrationError} that names a migration which failed, did not finish, was edited after it had been applied,
 * or is unknown to this version. It is also thrown if the database was never migrated but contains tables
 */
export async function migrate({ connection }: StartLock, directory = migrationsDirectory()): Promise<string[]> {
  const migrations = await readMigrations(directory)
  if (migrations.length === 0) throw new MigrationError(`There are no migrations in ${directory}.`)
  const history = new MigrationHistory(connection)
  const records = (await history.read()) ?? (await begin(history))
  assertContinues(records, migrations)
  const applied = new Set(records.map(({ name }) => name))
  const missing = migrations.filter(({ name }) => !applied.has(name))
  for (const migration of missing) await applyMigration(connection, history, migration)
  return missing.map(({ name }) => name)
}

/** Throws unless the recorded migrations are the first of the migrations of this version. */
function assertContinues(records: readonly MigrationRecord[], migrations: readonly Migration[]): void {
  const known = new Map(migrations.map((migration) => [migration.name, migration]))
  for (const { id, name, checksum, finished } of records) {
    const migration = known.get(name)
    if (migration === undefined) {
      throw new MigrationError(
        `The database has the migration ${name}, which this version does not know: a later version has migrated it. Start that version, or restore a backup from before.`,
      )
    }
    if (!finished) throw MigrationError.unfinished(name, id)
    if (!isChecksumOf(migration, checksum)) {
      throw new MigrationError(
        `Migration ${name} was edited after it had been applied to this database. Put its migration.sql back as it was, and the change into a new migration.`,
      )
    }
  }
}

/** Makes the table for the records in a database that was never migrated. */
async function begin(history: MigrationHistory): Promise<MigrationRecord[]> {
  const strangers = await history.strangers()
  if (strangers.length > 0) {
    throw new MigrationError(
      `The database is not empty and was never migrated by this service: it holds ${strangers.join(', ')}. Name an empty one in DATABASE_URL.`,
    )
  }
  await history.create()
  return []
}
