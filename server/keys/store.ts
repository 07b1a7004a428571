import type { Prisma, PrismaClient } from '../generated/prisma/client.js'
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

export function createKeyStore(prisma: PrismaClient) {
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

    /** Every private key and secret, for re-encryption: `[table, id, stored]`. */
    async allProtected(): Promise<readonly (readonly ['keys' | 'secrets', string, string])[]> {
      const [keys, secrets] = await Promise.all([
        prisma.key.findMany({ select: { id: true, privateJwk: true } }),
        prisma.secret.findMany({ select: { name: true, value: true } }),
      ])
      return [
        ...keys.map((key) => ['keys', key.id, key.privateJwk] as const),
        ...secrets.map((secret) => ['secrets', secret.name, secret.value] as const),
      ]
    },

    /** Replaces a protected value only where it is still the one that was read. */
    async replaceProtected(table: 'keys' | 'secrets', id: string, from: string, to: string): Promise<void> {
      if (table === 'keys') await prisma.key.updateMany({ where: { id, privateJwk: from }, data: { privateJwk: to } })
      else await prisma.secret.updateMany({ where: { name: id, value: from }, data: { value: to } })
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
