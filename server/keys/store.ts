import type { Database } from '../database/connect.js'
import type { Prisma } from '../generated/prisma/client.js'
import type { Jwk } from '../protocol/jose/jws.js'

/** A signing key as it is stored; `privateJwk` is protected by the vault. */
export interface StoredKey {
  readonly id: string
  readonly keySetId: string
  readonly alg: string
  readonly publicJwk: Jwk
  readonly privateJwk: string
}

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

    /** One key for each JWE header that any private key has, and so for each key-encryption key. */
    sampleOfEachEncryption: (): Promise<{ readonly id: string; readonly privateJwk: string }[]> =>
      sql`
        SELECT DISTINCT ON (split_part(private_jwk, '.', 1)) id, private_jwk AS "privateJwk" FROM keys
        WHERE private_jwk NOT LIKE '{%' ORDER BY split_part(private_jwk, '.', 1)`,

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
