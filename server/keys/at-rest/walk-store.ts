import { z } from 'zod'
import type { Database } from '../../database/connect.js'
import { emptyFragment, type Fragment, fragment, identifier, Step } from '../../database/fragment.js'
import { idRow } from '../../database/row-shapes.js'
import { ownKeySets } from '../store.js'
import type { ClaimsName, ProtectedColumn, ProtectedName } from './columns.js'

const zVisited = z.strictObject({
  id: z.string(),
  /** The version of the row. It differs after each change of the row. */
  version: z.string(),
  /** The stored value; null if there is nothing to do. */
  stored: z.string().nullable(),
})

const zVisitedKey = zVisited.extend({ column: z.string() })

export type VisitedRow = z.infer<typeof zVisited>

export type VisitedKey = z.infer<typeof zVisitedKey>

/** A new value for a row. It is written only if the row still has the version that was read. */
export interface NewValue {
  readonly id: string
  readonly version: string
  readonly value: string
}

export interface NewClaims extends NewValue {
  /** The content key of the claims, wrapped. */
  readonly wrapped: string
  /** Whether a credential has a proof. After the encryption, SQL cannot see it. */
  readonly signed: boolean
}

export interface NewContentKey extends NewValue {
  readonly column: string
}

/** Octets of a page beyond which it has no further value. Reading a page blocks this process for a few milliseconds. */
const PAGE_OCTETS = 1024 * 1024

type Column = ProtectedColumn<ProtectedName | ClaimsName>

export type WalkStore = ReturnType<typeof createWalkStore>

/**
 * The statements that visit every row of a protected column in the order of its ids. A page reads the values that match a condition
 * only. Row locks last as long as one statement. A statement skips rows that another transaction has locked, so it waits for nobody, and
 * two processes cannot block each other.
 */
export function createWalkStore({ sql }: Database) {
  /** @param due condition on `p.value` */
  const page = ({ table, column, idColumn }: Column, due: Fragment, after: string, take: number) => {
    const [id, value] = [identifier(idColumn), identifier(column)]
    return sql(zVisited)`
      SELECT p.id, p.version, CASE WHEN ${due} THEN p.value::text END AS stored FROM (
        SELECT v.id, v.version, v.value, sum(v.octets) OVER (ORDER BY v.id) - v.octets AS before
        FROM (
          SELECT ${id} AS id, xmin::text AS version, ${value} AS value, COALESCE(pg_column_size(${value}), 0) AS octets
          FROM ${identifier(table)} WHERE ${id} > ${after} ORDER BY ${id} LIMIT ${take}) v) p
      WHERE p.before <= ${PAGE_OCTETS}::int ORDER BY p.id`
  }

  const given = (values: readonly NewValue[]) => fragment`
    unnest(${values.map(({ id }) => id)}::text[], ${values.map(({ version }) => version)}::text[],
      ${values.map(({ value }) => value)}::text[])`

  return {
    /** @param prefix of values that need no work */
    secrets(column: ProtectedColumn, prefix: string, after: string, take: number): Promise<VisitedRow[]> {
      return page(column, fragment`NOT starts_with(p.value, ${prefix})`, after, take)
    },

    /** The keys among some that belong to the installation itself. */
    async ownKeys(ids: readonly string[]): Promise<string[]> {
      const rows = await sql(
        idRow,
      )`SELECT k.id FROM keys k WHERE k.id = ANY(${[...ids]}::text[]) AND k.key_set_id IN (${ownKeySets})`
      return rows.map(({ id }) => id)
    },

    /** @returns the ids of the rows that have the new value. */
    async replaceSecrets({ table, column, idColumn }: ProtectedColumn, values: readonly NewValue[]): Promise<string[]> {
      if (values.length === 0) return []
      const rows = await sql(idRow)`
        UPDATE ${identifier(table)} t SET ${identifier(column)} = n.value
        FROM (
          SELECT n.* FROM ${given(values)} AS n(id, version, value)
          JOIN ${identifier(table)} l ON l.${identifier(idColumn)} = n.id AND l.xmin = n.version::xid
          FOR NO KEY UPDATE OF l SKIP LOCKED) n
        WHERE t.${identifier(idColumn)} = n.id RETURNING n.id`
      return rows.map(({ id }) => id)
    },

    /** Claims in the clear. Encrypted claims are a JSON string. */
    claims(column: ProtectedColumn<ClaimsName>, after: string, take: number): Promise<VisitedRow[]> {
      return page(column, fragment`left(p.value::text, 1) <> '"'`, after, take)
    },

    /** Replaces claims and stores their content keys, in one statement. @returns the ids of the rows that have the new value. */
    async replaceClaims(column: ProtectedColumn<ClaimsName>, values: readonly NewClaims[]): Promise<string[]> {
      if (values.length === 0) return []
      const value = identifier(column.column)
      const signed =
        column.name === 'credentials.vc' ? fragment`, signed = COALESCE(t.signed, n.signed)` : emptyFragment
      const replaced = new Step<'id' | 'wrapped'>(
        'replaced',
        fragment`
          UPDATE ${identifier(column.table)} t SET ${value} = n.value::json ${signed}
          FROM (
            SELECT n.*
            FROM unnest(${values.map(({ id }) => id)}::text[], ${values.map(({ version }) => version)}::text[],
              ${values.map((row) => row.value)}::text[], ${values.map(({ wrapped }) => wrapped)}::text[],
              ${values.map((row) => String(row.signed))}::boolean[])
              AS n(id, version, value, wrapped, signed)
            JOIN ${identifier(column.table)} l ON l.${identifier(column.idColumn)} = n.id AND l.xmin = n.version::xid
            FOR NO KEY UPDATE OF l SKIP LOCKED) n
          WHERE t.${identifier(column.idColumn)} = n.id RETURNING n.id, n.wrapped`,
      )
      const keys = new Step(
        'content_keys_stored',
        fragment`
          INSERT INTO content_keys (row_id, column_name, wrapped)
          SELECT ${replaced.column('id')}, ${column.name}, ${replaced.column('wrapped')} FROM ${replaced}
          ON CONFLICT (row_id, column_name) DO UPDATE SET wrapped = EXCLUDED.wrapped`,
      )
      const rows = await sql(idRow, [keys])`SELECT id FROM ${replaced}`
      return rows.map(({ id }) => id)
    },

    /** Content keys after a row and column. @param prefix of keys that need no work */
    contentKeys(prefix: string, [id, column]: readonly [string, string], take: number): Promise<VisitedKey[]> {
      return sql(zVisitedKey)`
        SELECT row_id AS id, column_name AS column, xmin::text AS version,
          CASE WHEN NOT starts_with(wrapped, ${prefix}) THEN wrapped END AS stored
        FROM content_keys WHERE (row_id, column_name) > (${id}, ${column}) ORDER BY row_id, column_name LIMIT ${take}`
    },

    /** @returns the replaced content keys. */
    async replaceContentKeys(values: readonly NewContentKey[]): Promise<{ id: string; column: string }[]> {
      if (values.length === 0) return []
      return sql(z.strictObject({ id: z.string(), column: z.string() }))`
        UPDATE content_keys k SET wrapped = n.value
        FROM (
          SELECT n.*
          FROM unnest(${values.map(({ id }) => id)}::text[], ${values.map(({ column }) => column)}::text[],
            ${values.map(({ version }) => version)}::text[], ${values.map(({ value }) => value)}::text[])
            AS n(id, column_name, version, value)
          JOIN content_keys l ON l.row_id = n.id AND l.column_name = n.column_name AND l.xmin = n.version::xid
          FOR NO KEY UPDATE OF l SKIP LOCKED) n
        WHERE k.row_id = n.id AND k.column_name = n.column_name
        RETURNING n.id, n.column_name AS "column"`
    },
  }
}
