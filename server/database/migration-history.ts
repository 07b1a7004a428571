import type pg from 'pg'
import type { Migration } from './migrations.js'

/** A row of `_prisma_migrations` that was not rolled back. */
export interface MigrationRecord {
  readonly id: string
  readonly name: string
  readonly checksum: string
  /** False for one that began and did not end. */
  readonly finished: boolean
}

/** As Prisma's schema engine makes it. */
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

/** Tables and views of the schema that new tables go to, but for those that extensions bring. */
const relationsThere = `SELECT c.relname AS name FROM pg_class c
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
  ORDER BY c.relname LIMIT 3`

/** The record that Prisma keeps of the migrations of a database: the same table, and the same rows as its command line writes. */
export class MigrationHistory {
  constructor(private readonly connection: pg.Client) {}

  /** What was recorded and not rolled back; undefined for a database that was never migrated. */
  async read(): Promise<MigrationRecord[] | undefined> {
    const table = await this.connection.query(`SELECT to_regclass('_prisma_migrations') AS name`)
    if (table.rows[0]?.name === null) return undefined
    const { rows } = await this.connection.query<MigrationRecord>(
      `SELECT id, migration_name AS name, checksum, finished_at IS NOT NULL AS finished
       FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at`,
    )
    return rows
  }

  /** Names of up to three tables or views that are there although nothing was ever migrated. */
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

  /** False where the record of the beginning is gone. */
  async finish(id: string): Promise<boolean> {
    const { rowCount } = await this.connection.query(
      'UPDATE _prisma_migrations SET finished_at = clock_timestamp(), applied_steps_count = applied_steps_count + 1 WHERE id = $1',
      [id],
    )
    return rowCount === 1
  }

  /** Notes why it failed with a beginning that was recorded and is still there; false where that is gone. */
  async noteFailure(id: string, reason: string): Promise<boolean> {
    const { rowCount } = await this.connection.query('UPDATE _prisma_migrations SET logs = $2 WHERE id = $1', [
      id,
      reason,
    ])
    return rowCount === 1
  }

  /** Records a rolled-back attempt and removes records of earlier ones, so that repeated starts leave a single record. */
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
