import { z } from 'zod'
import type { Database } from '../../database/connect.js'
import { rowsOf } from '../../database/row-check.js'
import { idRow, noRow } from '../../database/row-shapes.js'
import { Prisma } from '../../generated/prisma/client.js'
import { ENCRYPTION_KEY_SET } from '../store.js'
import type { ProtectedColumn } from './columns.js'

const zProtectedValue = z.strictObject({ id: z.string(), stored: z.string() })

export type ProtectedValue = z.infer<typeof zProtectedValue>

/** A new value for a row. The new value is written only if the stored value has not changed since the read. */
export interface Replacement {
  readonly id: string
  readonly from: string
  readonly to: string
}

/** The values of protected columns in their stored form. */
export interface ProtectedValues {
  /** A page of a column, in the order of its ids. */
  page(column: ProtectedColumn, after: string, take: number): Promise<ProtectedValue[]>
  /** @returns the number of replaced values. */
  replace(column: ProtectedColumn, replacements: readonly Replacement[]): Promise<number>
  /** A page of the keys of issuers, verifiers and other parts of the installation itself. */
  ownKeys(after: string, take: number): Promise<ProtectedValue[]>
  /** Whether any row has encrypted claims. */
  hasContentKeys(): Promise<boolean>
}

/** An installation may have many issuer and verifier records. */
const TRANSACTION_MS = 60 * 60 * 1000

const zStoredRoot = z.strictObject({ value: z.string() })

const zProgress = z.strictObject({
  column: z.string(),
  keyId: z.string(),
  formerKeyIds: z.array(z.string()),
  position: z.string().nullable(),
  again: z.boolean(),
  seen: z.int(),
  changed: z.int(),
  refused: z.int(),
  /** The number of rows of the table, as PostgreSQL estimates it. */
  rows: z.number(),
})

/** The progress of the encryption of one column. */
export type ColumnProgress = z.infer<typeof zProgress>

/** What a start stores in the progress of a column: the keys, and the position from which the job continues. */
export type NewProgress = Pick<ColumnProgress, 'column' | 'keyId' | 'formerKeyIds' | 'position' | 'again'>

/** The result of a batch. */
export interface BatchCounts {
  readonly seen: number
  readonly changed: number
  readonly refused: number
}

type Run = <Row>(shape: z.ZodType<Row>, statement: Prisma.Sql) => Promise<Row[]>

/** Runs statements through Prisma, with or without a transaction around them. */
const runBy =
  (client: Pick<Database['prisma'], '$queryRaw'>): Run =>
  async (shape, statement) =>
    rowsOf(shape, await client.$queryRaw<unknown[]>(statement), statement.sql)

const namesOf = ({ table, idColumn, column }: ProtectedColumn) => ({
  table: Prisma.raw(`"${table}"`),
  id: Prisma.raw(`"${idColumn}"`),
  value: Prisma.raw(`"${column}"`),
})

function valuesOver(run: Run): ProtectedValues {
  return {
    page(column, after, take) {
      const { table, id, value } = namesOf(column)
      return run(
        zProtectedValue,
        Prisma.sql`
        SELECT ${id} AS id, ${value} AS stored FROM ${table}
        WHERE ${id} > ${after} AND ${value} IS NOT NULL ORDER BY ${id} LIMIT ${take}`,
      )
    },
    async replace(column, replacements) {
      if (replacements.length === 0) return 0
      const { table, id, value } = namesOf(column)
      const member = (name: keyof Replacement) => replacements.map((replacement) => replacement[name])
      const replaced = await run(
        idRow,
        Prisma.sql`
        UPDATE ${table} t SET ${value} = r.new_value
        FROM unnest(${member('id')}::text[], ${member('from')}::text[], ${member('to')}::text[]) r(id, old_value, new_value)
        WHERE t.${id} = r.id AND t.${value} = r.old_value RETURNING t.${id} AS id`,
      )
      return replaced.length
    },
    ownKeys: (after, take) =>
      run(
        zProtectedValue,
        Prisma.sql`
        SELECT id, private_jwk AS stored FROM keys
        WHERE id > ${after} AND key_set_id IN (
          SELECT key_set_id FROM issuers UNION ALL SELECT key_set_id FROM verifiers
          UNION ALL SELECT key_set_id FROM dids WHERE holder_id IS NULL UNION ALL SELECT ${ENCRYPTION_KEY_SET})
        ORDER BY id LIMIT ${take}`,
      ),
    async hasContentKeys() {
      const rows = await run(
        z.strictObject({ found: z.literal(1) }),
        Prisma.sql`SELECT 1 AS found FROM content_keys LIMIT 1`,
      )
      return rows.length > 0
    },
  }
}

export type AtRestStore = ReturnType<typeof createAtRestStore>

export function createAtRestStore({ prisma, sql }: Database) {
  return {
    /**
     * Works on values in one transaction, while every other start waits.
     *
     * @param work receives the stored value of the secret `name`; undefined if there is none
     */
    exclusively: <T>(name: string, work: (stored: string | undefined, values: ProtectedValues) => Promise<T>) =>
      prisma.$transaction(
        async (tx) => {
          const run = runBy(tx)
          const [row] = await run(zStoredRoot, Prisma.sql`SELECT value FROM secrets WHERE name = ${name} FOR UPDATE`)
          return work(row?.value, valuesOver(run))
        },
        { timeout: TRANSACTION_MS },
      ),

    /** The stored value of a secret. */
    async secret(name: string): Promise<string | undefined> {
      const [row] = await sql(zStoredRoot)`SELECT value FROM secrets WHERE name = ${name}`
      return row?.value
    },

    /** @returns false if the value of the secret has changed meanwhile; then nothing is written. */
    async replaceSecret(name: string, from: string, to: string): Promise<boolean> {
      const rows = await sql(
        idRow,
      )`UPDATE secrets SET value = ${to} WHERE name = ${name} AND value = ${from} RETURNING name AS id`
      return rows.length > 0
    },

    /** The progress of every column. */
    progress: (): Promise<ColumnProgress[]> =>
      sql(zProgress)`
        SELECT p.column_name AS "column", p.key_id AS "keyId", p.former_key_ids AS "formerKeyIds", p.position, p.again, p.seen, p.changed,
          p.refused, COALESCE(GREATEST(t.reltuples, 0), 0)::float8 AS rows
        FROM encryption_progress p LEFT JOIN pg_class t ON t.oid = to_regclass(split_part(p.column_name, '.', 1))
        ORDER BY p.column_name`,

    /** Sets from where columns continue. A column that begins counts from 0. */
    async begin(columns: readonly NewProgress[]): Promise<void> {
      await sql(noRow)`
        INSERT INTO encryption_progress AS p (column_name, key_id, former_key_ids, position, again)
        SELECT * FROM jsonb_to_recordset(${JSON.stringify(columns)}::jsonb)
          AS g("column" text, "keyId" text, "formerKeyIds" text[], "position" text, "again" boolean)
        ON CONFLICT (column_name) DO UPDATE SET key_id = EXCLUDED.key_id, former_key_ids = EXCLUDED.former_key_ids,
          position = EXCLUDED.position, again = EXCLUDED.again,
          seen = CASE WHEN EXCLUDED.position = '' THEN 0 ELSE p.seen END,
          changed = CASE WHEN EXCLUDED.position = '' THEN 0 ELSE p.changed END,
          refused = CASE WHEN EXCLUDED.position = '' THEN 0 ELSE p.refused END`
    },

    /** Records a batch, unless another process has moved the position or changed the key meanwhile. @param keyId the key of the batch */
    async moved(
      { column, keyId }: Pick<ColumnProgress, 'column' | 'keyId'>,
      from: string,
      to: string,
      { seen, changed, refused }: BatchCounts,
    ): Promise<void> {
      await sql(noRow)`
        UPDATE encryption_progress SET position = ${to}, seen = seen + ${seen}, changed = changed + ${changed},
          refused = refused + ${refused}
        WHERE column_name = ${column} AND key_id = ${keyId} AND position = ${from}`
    },

    /** Begins a column again after its last row, if a start asked for it. @returns whether it begins again */
    async beganAgain(column: string): Promise<boolean> {
      const rows = await sql(idRow)`
        UPDATE encryption_progress SET position = '', again = false, seen = 0 WHERE column_name = ${column} AND again
        RETURNING column_name AS id`
      return rows.length > 0
    },

    /** Records that a column is done under a key, unless the key has changed meanwhile. */
    async done(column: string, keyId: string): Promise<void> {
      await sql(noRow)`
        UPDATE encryption_progress SET position = NULL, again = false, former_key_ids = '{}'
        WHERE column_name = ${column} AND key_id = ${keyId}`
    },
  }
}
