import type { Database } from '../database/connect.js'
import { Prisma } from '../generated/prisma/client.js'
import type { Jwk } from '../protocol/jose/jws.js'

/** A signing key as it is stored; `privateJwk` is protected by the vault. */
export interface StoredKey {
  readonly id: string
  readonly keySetId: string
  readonly alg: string
  readonly publicJwk: Jwk
  readonly privateJwk: string
}

/** A column whose values the vault protects. */
export interface ProtectedColumn {
  readonly table: string
  readonly idColumn: string
  readonly column: string
}

/** Everything that is stored as private keys are. A column that is missing here is lost with its key-encryption key. */
export const PROTECTED_COLUMNS: readonly ProtectedColumn[] = [
  { table: 'keys', idColumn: 'id', column: 'private_jwk' },
  { table: 'secrets', idColumn: 'name', column: 'value' },
  { table: 'wallet_credentials', idColumn: 'id', column: 'content' },
  { table: 'wallet_credential_copies', idColumn: 'id', column: 'compact' },
  { table: 'wallet_credential_copies', idColumn: 'id', column: 'private_jwk' },
  { table: 'wallet_presentations', idColumn: 'id', column: 'content' },
  { table: 'flows', idColumn: 'id', column: 'content' },
  { table: 'verification_sessions', idColumn: 'id', column: 'secrets' },
]

const namesOf = ({ table, idColumn, column }: ProtectedColumn) => ({
  table: Prisma.raw(`"${table}"`),
  id: Prisma.raw(`"${idColumn}"`),
  value: Prisma.raw(`"${column}"`),
})

export type KeyStore = ReturnType<typeof createKeyStore>

type Row = Prisma.KeyGetPayload<object>

const toKey = (row: Row): StoredKey => ({ ...row, publicJwk: row.publicJwk as Jwk })

export function createKeyStore({ prisma, sql }: Database) {
  return {
    async find(id: string): Promise<StoredKey | undefined> {
      const row = await prisma.key.findUnique({ where: { id } })
      return row === null ? undefined : toKey(row)
    },

    /** The key that signs for a key set: the newest one that is not retired. */
    async current(keySetId: string): Promise<StoredKey | undefined> {
      const row = await prisma.key.findFirst({
        where: { keySetId, retiredAt: null },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      })
      return row === null ? undefined : toKey(row)
    },

    /** A page of a protected column, for re-encryption, in the order of its ids. */
    async protectedValues(
      column: ProtectedColumn,
      after: string,
      take: number,
    ): Promise<{ readonly id: string; readonly stored: string }[]> {
      const { table, id, value } = namesOf(column)
      return sql`
        SELECT ${id} AS id, ${value} AS stored FROM ${table}
        WHERE ${id} > ${after} AND ${value} IS NOT NULL ORDER BY ${id} LIMIT ${take}`
    },

    /** Replaces a protected value only where it is still the one that was read. */
    async replaceProtected(column: ProtectedColumn, rowId: string, from: string, to: string): Promise<boolean> {
      const { table, id, value } = namesOf(column)
      const replaced = await sql`
        UPDATE ${table} SET ${value} = ${to} WHERE ${id} = ${rowId} AND ${value} = ${from} RETURNING ${id}`
      return replaced.length > 0
    },

    /** One private key for each JWE header that any of them has, and so for each key-encryption key. */
    async sampleOfEachEncryption(): Promise<string[]> {
      const rows = await sql<{ stored: string }>`
        SELECT DISTINCT ON (split_part(private_jwk, '.', 1)) private_jwk AS stored FROM keys
        WHERE private_jwk NOT LIKE '{%' ORDER BY split_part(private_jwk, '.', 1)`
      return rows.map((row) => row.stored)
    },

    /** The algorithms of the keys that issuers sign with now. */
    async issuerAlgorithms(): Promise<string[]> {
      const rows = await sql<{ alg: string }>`
        SELECT DISTINCT k.alg FROM issuers i JOIN LATERAL (
          SELECT k.alg FROM keys k WHERE k.key_set_id = i.key_set_id AND k.retired_at IS NULL
          ORDER BY k.created_at DESC, k.id DESC LIMIT 1) k ON true ORDER BY k.alg DESC`
      return rows.map(({ alg }) => alg)
    },

    /** The stored value of a secret of the installation, made on first use; of two makers at once one wins. */
    async secret(name: string, make: () => Promise<string>): Promise<string> {
      const found = await prisma.secret.findUnique({ where: { name } })
      if (found !== null) return found.value
      await prisma.secret.createMany({ data: [{ name, value: await make() }], skipDuplicates: true })
      return (await prisma.secret.findUniqueOrThrow({ where: { name } })).value
    },
  }
}
