import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { MigrationError, reasonOf } from './migration-error.js'
import type { MigrationHistory } from './migration-history.js'
import type { Migration } from './migrations.js'

/**
 * SQLSTATE active_sql_transaction. It is the error of statements that cannot run in a transaction, such as CREATE INDEX
 * CONCURRENTLY.
 */
const notInTransaction = '25001'

/** One migration that is being applied. */
interface Attempt {
  readonly connection: pg.Client
  readonly history: MigrationHistory
  readonly migration: Migration
  /** Id of the migration's record. */
  readonly id: string
}

/**
 * Applies one migration and records it, both in one transaction. If its only statement cannot run in a transaction, the
 * migration runs without a transaction.
 *
 * @throws {MigrationError} that names the migration, the reason, and the operator's next step
 */
export async function applyMigration(
  connection: pg.Client,
  history: MigrationHistory,
  migration: Migration,
): Promise<void> {
  const attempt = { connection, history, migration, id: randomUUID() }
  try {
    await connection.query('BEGIN')
    await run(attempt)
    await connection.query('COMMIT')
  } catch (error) {
    // If the connection is lost, nothing can be recorded. The database has rolled the transaction back.
    await connection.query('ROLLBACK').catch(() => Promise.reject(error))
    // If the record still exists, the migration itself has committed the record, together with earlier changes.
    if (await history.noteFailure(attempt.id, reasonOf(error))) throw unfinished(attempt, error)
    if (!isNotInTransaction(error)) throw await undone(attempt, error)
    await applyWithoutTransaction(attempt)
  }
}

async function run({ connection, history, migration, id }: Attempt): Promise<void> {
  await history.begin(id, migration)
  // The query has no parameters, because only such a query may contain several statements.
  await connection.query(migration.sql)
  // Session settings of the migration, for example a search_path, must not affect the record or the next migration.
  await connection.query('RESET ALL')
  if (await history.finish(id)) return
  await history.begin(id, migration)
  throw new Error('It rolled back the transaction that it ran in')
}

async function applyWithoutTransaction(attempt: Attempt): Promise<void> {
  try {
    await run(attempt)
  } catch (error) {
    if (isNotInTransaction(error)) {
      // PostgreSQL runs several statements that are sent together in one transaction.
      throw await undone(
        attempt,
        new Error(`${reasonOf(error)}; such a statement must be the only one of its migration`),
      )
    }
    await attempt.history.noteFailure(attempt.id, reasonOf(error)).catch(() => undefined)
    throw unfinished(attempt, error)
  }
}

const isNotInTransaction = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === notInTransaction

async function undone({ history, migration, id }: Attempt, cause: unknown): Promise<MigrationError> {
  await history.recordUndone(id, migration, reasonOf(cause))
  const message = `Migration ${migration.name} failed: ${reasonOf(cause)}. Nothing of it was applied. Remove the cause and start again.`
  return new MigrationError(message, { cause })
}

const unfinished = ({ migration, id }: Attempt, cause: unknown): MigrationError =>
  MigrationError.unfinished(migration.name, id, cause)
