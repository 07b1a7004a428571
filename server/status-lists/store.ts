import { z } from 'zod'
import { coalesced } from '../database/coalesce.js'
import type { Database } from '../database/connect.js'
import { idRow, publicJwk, x5c } from '../database/row-shapes.js'
import { STATUS_LIST_SIZE } from '../protocol/status-list/bits.js'

/** Bits of an entry in the Token Status List: 2 if its credential can be suspended. */
export type EntryBits = 1 | 2

export interface Reservation {
  readonly keyId: string
  /** The issuer that owns the key. */
  readonly issuerId: string
  readonly count: number
  readonly bits: EntryBits
  /** The highest number of lists with free entries that the key may have at the same time. */
  readonly mostOpen: number
}

const zBits = z.union([z.literal(1), z.literal(2)])

const zStatusListRecord = z.strictObject({
  id: z.string(),
  size: z.int(),
  version: z.int(),
  bits: zBits,
  keyId: z.string(),
  publicJwk,
  /** The certificate chain of the key. */
  x5c,
  issuerMethod: z.string(),
  issuerDid: z.string(),
})

export type StatusListRecord = z.infer<typeof zStatusListRecord>

const zEntry = z.strictObject({ revoked: z.boolean(), suspended: z.boolean(), bits: zBits, size: z.int(), publicJwk })

/** The status of one index of a list, and the key that the list belongs to. */
export type StatusListEntry = z.infer<typeof zEntry>

const zFoundEntry = zEntry.extend({ key: z.string() })

const zIndexRange = z.strictObject({
  listId: z.string(),
  size: z.int(),
  /** A range of counter values, from which the indices are computed: `from` inclusive, `to` exclusive. */
  from: z.int(),
  to: z.int(),
})

export type IndexRange = z.infer<typeof zIndexRange>

const zSetIndex = z.strictObject({ index: z.int(), revoked: z.boolean(), suspended: z.boolean() })

/** An index whose credential is revoked or suspended. A credential that was suspended before it was revoked is both. */
export type SetIndex = z.infer<typeof zSetIndex>

const zOverview = z.strictObject({ newest: z.string().nullable(), count: z.int() })

export type StatusListStore = ReturnType<typeof createStatusListStore>

export function createStatusListStore({ sql }: Database) {
  const readEntry = coalesced(async (keys) => {
    const places = keys.map((key) => key.split(' '))
    const ids = places.map(([id = '']) => id)
    const indices = places.map(([, index]) => Number(index))
    const rows = await sql(zFoundEntry)`
      SELECT q.key, c.revoked_at IS NOT NULL AS revoked, c.suspended_at IS NOT NULL AS suspended, l.bits, l.size, k.public_jwk AS "publicJwk"
      FROM unnest(${[...keys]}::text[], ${ids}::text[], ${indices}::int[])
        AS q(key, list_id, status_index)
      JOIN status_lists l ON l.id = q.list_id
      JOIN keys k ON k.id = l.key_id
      LEFT JOIN credential_instances c ON c.status_list_id = l.id AND c.status_index = q.status_index`
    return new Map(rows.map((row) => [row.key, row]))
  })

  return {
    /**
     * Reserves one to `count` entries in a list of a key, with the database function `reserve_status_indices`. The
     * function uses the oldest list of this number of bits with room that no other statement has locked. It creates a new list if no list has
     * room. It also creates a new list if all lists with room are locked and there are fewer than `mostOpen` of them.
     *
     * @param newId the id of the list, if a list is opened
     */
    async reserve({ keyId, issuerId, count, bits, mostOpen }: Reservation, newId: string): Promise<IndexRange> {
      const [row] = await sql(zIndexRange)`
        SELECT list_id AS "listId", list_size AS size, first AS "from", past AS "to"
        FROM reserve_status_indices(${keyId}, ${issuerId}, ${newId}, ${STATUS_LIST_SIZE}, ${count}, ${mostOpen}, ${bits})`
      if (row === undefined) throw new Error('No status indices were reserved.')
      return row
    },

    async find(id: string): Promise<StatusListRecord | undefined> {
      const [row] = await sql(zStatusListRecord)`
        SELECT l.id, l.size, l.version, l.bits, l.key_id AS "keyId", k.public_jwk AS "publicJwk", k.x5c,
               i.method AS "issuerMethod", i.did AS "issuerDid"
        FROM status_lists l JOIN keys k ON k.id = l.key_id JOIN issuers i ON i.id = l.issuer_id
        WHERE l.id = ${id}`
      return row
    },

    /** Returns the id of the newest list (null if there is none), and the number of lists. */
    async overview(): Promise<{ readonly newest: string | null; readonly count: number }> {
      const [row] = await sql(zOverview)`
        SELECT count(*)::int AS count, (SELECT id FROM status_lists ORDER BY created_at DESC, id DESC LIMIT 1) AS newest FROM status_lists`
      return row ?? { newest: null, count: 0 }
    },

    /** The ids of the newest lists, newest first, at most `limit`. */
    async newest(limit: number): Promise<string[]> {
      const rows = await sql(idRow)`SELECT id FROM status_lists ORDER BY created_at DESC, id DESC LIMIT ${limit}`
      return rows.map(({ id }) => id)
    },

    /** The indices of a list whose credentials are revoked or suspended. */
    setIndices: (id: string): Promise<SetIndex[]> =>
      sql(zSetIndex)`
        SELECT status_index AS index, revoked_at IS NOT NULL AS revoked, suspended_at IS NOT NULL AS suspended
        FROM credential_instances WHERE status_list_id = ${id} AND (revoked_at IS NOT NULL OR suspended_at IS NOT NULL)`,

    /**
     * Reads one entry without a cache, with the key of its list; undefined for an unknown list. One statement reads the
     * entries of all simultaneous calls.
     *
     * @param id the list's id, without a space
     * @param index 0 to 2,147,483,647.
     */
    entry: (id: string, index: number): Promise<StatusListEntry | undefined> => readEntry(`${id} ${index}`),
  }
}
