import { z } from 'zod'
import { coalesced } from '../database/coalesce.js'
import type { Database } from '../database/connect.js'
import { publicJwk, x5c } from '../database/row-shapes.js'
import type { Jwk } from '../protocol/jose/jws.js'
import { STATUS_LIST_SIZE } from '../protocol/status-list/bits.js'

export interface IndexRange {
  readonly listId: string
  readonly size: number
  /** Counts, not yet indices: `from` inclusive, `to` exclusive. */
  readonly from: number
  readonly to: number
}

export interface Reservation {
  readonly keyId: string
  /** The issuer whose key it is. */
  readonly issuerId: string
  readonly count: number
  /** How many lists of the key may have room at the same time. */
  readonly mostOpen: number
}

export interface StatusListRecord {
  readonly id: string
  readonly size: number
  readonly version: number
  readonly keyId: string
  readonly publicJwk: Jwk
  /** The certificate chain of the key. */
  readonly x5c: readonly string[] | null
  readonly issuerMethod: string
  readonly issuerDid: string
}

/** The status of one index of a list, and the key that the list belongs to. */
export interface StatusListEntry {
  readonly revoked: boolean
  readonly size: number
  readonly publicJwk: Jwk
}

const zStatusListRecord: z.ZodType<StatusListRecord> = z.strictObject({
  id: z.string(),
  size: z.int(),
  version: z.int(),
  keyId: z.string(),
  publicJwk,
  x5c,
  issuerMethod: z.string(),
  issuerDid: z.string(),
})

const zEntry: z.ZodType<StatusListEntry & { readonly key: string }> = z.strictObject({
  key: z.string(),
  revoked: z.boolean(),
  size: z.int(),
  publicJwk,
})

const zIndexRange: z.ZodType<IndexRange> = z.strictObject({
  listId: z.string(),
  size: z.int(),
  from: z.int(),
  to: z.int(),
})

const zIndex = z.strictObject({ index: z.int() })

const zOverview = z.strictObject({ newest: z.string().nullable(), count: z.int() })

export type StatusListStore = ReturnType<typeof createStatusListStore>

export function createStatusListStore({ sql }: Database) {
  const readEntry = coalesced(async (keys) => {
    const places = keys.map((key) => key.split(' '))
    const ids = places.map(([id = '']) => id)
    const indices = places.map(([, index]) => Number(index))
    const rows = await sql(zEntry)`
      SELECT q.key, c.revoked_at IS NOT NULL AS revoked, l.size, k.public_jwk AS "publicJwk"
      FROM unnest(${[...keys]}::text[], ${ids}::text[], ${indices}::int[])
        AS q(key, list_id, status_index)
      JOIN status_lists l ON l.id = q.list_id
      JOIN keys k ON k.id = l.key_id
      LEFT JOIN credential_instances c ON c.status_list_id = l.id AND c.status_index = q.status_index`
    return new Map(rows.map((row) => [row.key, row]))
  })

  return {
    /**
     * Reserves entries of an open list of a key, by the database's function of that name: one to `count`, of the oldest list that
     * nobody else is reserving from. A list is opened where none has room, or all are held and fewer than `mostOpen` have.
     *
     * @param newId of the list, where one is opened.
     */
    async reserve({ keyId, issuerId, count, mostOpen }: Reservation, newId: string): Promise<IndexRange> {
      const [row] = await sql(zIndexRange)`
        SELECT list_id AS "listId", list_size AS size, first AS "from", past AS "to"
        FROM reserve_status_indices(${keyId}, ${issuerId}, ${newId}, ${STATUS_LIST_SIZE}, ${count}, ${mostOpen})`
      if (row === undefined) throw new Error('No status indices were reserved.')
      return row
    },

    async find(id: string): Promise<StatusListRecord | undefined> {
      const [row] = await sql(zStatusListRecord)`
        SELECT l.id, l.size, l.version, l.key_id AS "keyId", k.public_jwk AS "publicJwk", k.x5c,
               i.method AS "issuerMethod", i.did AS "issuerDid"
        FROM status_lists l JOIN keys k ON k.id = l.key_id JOIN issuers i ON i.id = l.issuer_id
        WHERE l.id = ${id}`
      return row
    },

    /** The list that was opened last, null where there is none, and how many there are. */
    async overview(): Promise<{ readonly newest: string | null; readonly count: number }> {
      const [row] = await sql(zOverview)`
        SELECT count(*)::int AS count, (SELECT id FROM status_lists ORDER BY created_at DESC, id DESC LIMIT 1) AS newest FROM status_lists`
      return row ?? { newest: null, count: 0 }
    },

    /** Indices of a list that are revoked. */
    async revokedIndices(id: string): Promise<number[]> {
      const rows = await sql(zIndex)`
        SELECT status_index AS index FROM credential_instances WHERE status_list_id = ${id} AND revoked_at IS NOT NULL`
      return rows.map((row) => row.index)
    },

    /**
     * One entry, read live, with the key that the list belongs to; nothing for an unknown list. Requests that ask at the
     * same time are answered by one statement.
     *
     * @param id without a space in it.
     * @param index 0 to 2,147,483,647.
     */
    entry: (id: string, index: number): Promise<StatusListEntry | undefined> => readEntry(`${id} ${index}`),
  }
}
