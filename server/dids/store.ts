import { type AuditRecord, recordAudit } from '../audit/audit.js'
import type { Prisma, PrismaClient } from '../generated/prisma/client.js'
import type { Jwk } from '../protocol/jose/jws.js'

/** What a DID of this installation is for. */
export type DidPurpose = 'issuer' | 'verifier' | 'holder' | 'agent'

export interface NewKey {
  readonly id: string
  readonly alg: string
  readonly publicJwk: Jwk
  /** As the vault protects it. */
  readonly privateJwk: string
}

export interface NewDid {
  readonly did: string
  readonly method: string
  readonly uuid: string | null
  readonly purpose: DidPurpose
  readonly createdBy: string | null
  readonly keySetId: string
  readonly keyId: string | null
  readonly holderId: string | null
}

/** A DID with the public keys that it names, the newest first. */
export interface StoredDid {
  readonly did: string
  readonly method: string
  readonly uuid: string | null
  readonly purpose: DidPurpose
  readonly createdBy: string | null
  readonly keySetId: string
  readonly holderId: string | null
  readonly createdAt: Date
  readonly keys: readonly { readonly id: string; readonly publicJwk: Jwk }[]
  /** Other DIDs of the same keys. */
  readonly alsoKnownAs: readonly string[]
}

/** What an issuer or verifier record signs with now. */
export interface RecordIdentity {
  readonly did: string
  readonly purpose: 'issuer' | 'verifier'
  readonly keyId: string
  readonly publicJwk: Jwk
}

const withKeys = {
  keySet: {
    select: {
      keys: { select: { id: true, publicJwk: true }, orderBy: [{ createdAt: 'desc' }, { id: 'desc' }] },
      dids: { select: { did: true }, orderBy: { did: 'asc' } },
    },
  },
} as const satisfies Prisma.DidInclude

type Row = Prisma.DidGetPayload<{ include: typeof withKeys }>

function toDid(row: Row): StoredDid {
  const keys = row.keySet.keys.filter((key) => row.keyId === null || key.id === row.keyId)
  return {
    ...row,
    purpose: row.purpose as DidPurpose,
    keys: keys.map((key) => ({ id: key.id, publicJwk: key.publicJwk as Jwk })),
    alsoKnownAs: row.keySet.dids.map((other) => other.did).filter((other) => other !== row.did),
  }
}

export type DidStore = ReturnType<typeof createDidStore>

/** Inserts a key set with its first key and the DIDs made of it. */
export async function insertIdentity(
  tx: Prisma.TransactionClient,
  keySetId: string,
  key: NewKey,
  dids: readonly NewDid[],
  audit: readonly AuditRecord[],
): Promise<void> {
  await tx.keySet.create({ data: { id: keySetId } })
  await tx.key.create({ data: { ...key, keySetId, publicJwk: key.publicJwk as Prisma.InputJsonObject } })
  await tx.did.createMany({ data: [...dids] })
  await recordAudit(tx, ...audit)
}

export function createDidStore(prisma: PrismaClient) {
  const findOne = async (where: Prisma.DidWhereUniqueInput): Promise<StoredDid | undefined> => {
    const row = await prisma.did.findUnique({ where, include: withKeys })
    return row === null ? undefined : toDid(row)
  }
  return {
    find: (did: string) => findOne({ did }),

    /** The first of several spellings that is known. */
    async findAny(spellings: readonly string[]): Promise<StoredDid | undefined> {
      const row = await prisma.did.findFirst({ where: { did: { in: [...spellings] } }, include: withKeys })
      return row === null ? undefined : toDid(row)
    },

    findByUuid: (uuid: string) => findOne({ uuid: uuid.toLowerCase() }),

    /** DIDs of issuers, with all their keys. */
    async issuerDids(): Promise<StoredDid[]> {
      const rows = await prisma.did.findMany({
        where: { purpose: 'issuer' },
        include: withKeys,
        orderBy: [{ createdAt: 'asc' }, { did: 'asc' }],
      })
      return rows.map(toDid)
    },

    /** The DID and key that each issuer and verifier record signs with. */
    recordIdentities: (): Promise<RecordIdentity[]> =>
      prisma.$queryRaw<RecordIdentity[]>`
        SELECT r.did, r.purpose, k.id AS "keyId", k.public_jwk AS "publicJwk"
        FROM (SELECT did, key_set_id, created_at, 'issuer' AS purpose FROM issuers
              UNION ALL SELECT did, key_set_id, created_at, 'verifier' FROM verifiers) r
        JOIN LATERAL (
          SELECT k.id, k.public_jwk FROM keys k WHERE k.key_set_id = r.key_set_id AND k.retired_at IS NULL
          ORDER BY k.created_at DESC, k.id DESC LIMIT 1) k ON true
        ORDER BY r.created_at, r.did`,

    /** The hosted DID of a key set. */
    async webDidOf(keySetId: string): Promise<{ readonly did: string; readonly uuid: string } | undefined> {
      const row = await prisma.did.findFirst({ where: { keySetId, method: 'web' }, select: { did: true, uuid: true } })
      return row === null || row.uuid === null ? undefined : { did: row.did, uuid: row.uuid }
    },

    /** A hosted DID moves with the base URL that it lies under. */
    async rename(from: string, to: string): Promise<void> {
      await prisma.did.update({ where: { did: from }, data: { did: to } })
    },

    /** DIDs of the holders that a caller created. */
    async holderDidsOf(sub: string): Promise<string[]> {
      const rows = await prisma.did.findMany({ where: { holder: { createdBy: sub } }, select: { did: true } })
      return rows.map((row) => row.did)
    },

    async ofHolder(holderId: string): Promise<StoredDid[]> {
      const rows = await prisma.did.findMany({
        where: { holderId },
        include: withKeys,
        orderBy: [{ createdAt: 'desc' }, { did: 'asc' }],
      })
      return rows.map(toDid)
    },

    /** DIDs made through the agent routes, the newest first. */
    async createdBy(sub: string, take: number, after: string | undefined): Promise<StoredDid[]> {
      const rows = await prisma.did.findMany({
        where: { createdBy: sub },
        include: withKeys,
        orderBy: [{ createdAt: 'desc' }, { did: 'asc' }],
        take,
        ...(after === undefined ? {} : { cursor: { did: after }, skip: 1 }),
      })
      return rows.map(toDid)
    },

    insert: (keySetId: string, key: NewKey, dids: readonly NewDid[], audit: readonly AuditRecord[]) =>
      prisma.$transaction((tx) => insertIdentity(tx, keySetId, key, dids, audit)),
  }
}
