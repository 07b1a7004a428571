import type pg from 'pg'
import type { Migration } from './migrations.js'

/** A row of `_prisma_migrations`, for a migration that was not rolled back. */
export interface MigrationRecord {
  readonly id: string
  readonly name: string
  readonly checksum: string
  /** False for a migration that began and did not end. */
  readonly finished: boolean
}

/** Creates the same table as Prisma's schema engine. */
const createTable = `CREATE TABLE _prisma_migrations (
    id                      VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum                VARCHAR(64) NOT NULL,
    finished_at             TIMESTAMPTZ,
    migration_name          VARCHAR(255) NOT NULL,
    logs                    TEXT,
    rolled_back_at          TIMESTAMPTZ,
    started_at              TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count     INTEGER NOT NULL DEFAULT 0
)`

/** Tables and views of the schema in which new tables are created, without the tables and views of extensions. */
const relationsThere = `SELECT c.relname AS name FROM pg_class c
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
  ORDER BY c.relname LIMIT 3`

/**
 * Prisma's record of the migrations of a database. The table and its rows are the same as those that Prisma's command
 * line writes.
 */
export class MigrationHistory {
  constructor(private readonly connection: pg.Client) {}

  /** The recorded migrations that were not rolled back; undefined for a database that was never migrated. */
  async read(): Promise<MigrationRecord[] | undefined> {
    const table = await this.connection.query(`SELECT to_regclass('_prisma_migrations') AS name`)
    if (table.rows[0]?.name === null) return undefined
    const { rows } = await this.connection.query<MigrationRecord>(
      `SELECT id, migration_name AS name, checksum, finished_at IS NOT NULL AS finished
       FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at`,
    )
    return rows
  }

  /** Names of up to three tables or views that exist although no migration was ever applied. */
  async strangers(): Promise<string[]> {
    return (await this.connection.query<{ name: string }>(relationsThere)).rows.map(({ name }) => name)
  }

  async create(): Promise<void> {
    await this.connection.query(createTable)
  }

  async begin(id: string, { name, checksum }: Migration): Promise<void> {
    await this.connection.query(
      'INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at) VALUES ($1, $2, $3, clock_timestamp())',
      [id, checksum, name],
    )
  }

  /** Records that a migration has ended. @returns false if the record of its beginning no longer exists */
  async finish(id: string): Promise<boolean> {
    const { rowCount } = await this.connection.query(
      'UPDATE _prisma_migrations SET finished_at = clock_timestamp(), applied_steps_count = applied_steps_count + 1 WHERE id = $1',
      [id],
    )
    return rowCount === 1
  }

  /**
   * Adds the reason of a failure to the record of the failed migration. @returns false if the record no longer exists
   */
  async noteFailure(id: string, reason: string): Promise<boolean> {
    const { rowCount } = await this.connection.query('UPDATE _prisma_migrations SET logs = $2 WHERE id = $1', [
      id,
      reason,
    ])
    return rowCount === 1
  }

  /**
   * Records an attempt that was rolled back, and removes the records of earlier attempts. So after many starts there is
   * a single record.
   */
  async recordUndone(id: string, { name, checksum }: Migration, reason: string): Promise<void> {
    await this.connection.query(
      'DELETE FROM _prisma_migrations WHERE id = $1 OR (migration_name = $2 AND rolled_back_at IS NOT NULL)',
      [id, name],
    )
    await this.connection.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, logs, rolled_back_at) VALUES ($1, $2, $3, $4, now())`,
      [id, checksum, name, reason],
    )
  }
}
