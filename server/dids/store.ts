import { z } from 'zod'
import { type AuditRecord, recordAudit } from '../audit/audit.js'
import { coalesced } from '../database/coalesce.js'
import type { Database } from '../database/connect.js'
import { type Fragment, fragment } from '../database/fragment.js'
import { type ListPart, listPart } from '../database/list-position.js'
import { publicJwk, x5c } from '../database/row-shapes.js'
import type { Prisma } from '../generated/prisma/client.js'
import type { NewKey } from '../keys/new-key.js'
import { currentKey } from '../keys/store.js'
import { LruMap } from '../protocol/jose/lru-map.js'

const MAX_OWN_ISSUERS = 1_000

/** The purpose of a DID of this installation. */
export type DidPurpose = 'issuer' | 'verifier' | 'holder' | 'agent'

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

const zStoredDid = z.strictObject({
  did: z.string(),
  method: z.string(),
  uuid: z.string().nullable(),
  purpose: z.enum(['issuer', 'verifier', 'holder', 'agent']),
  createdBy: z.string().nullable(),
  keySetId: z.string(),
  holderId: z.string().nullable(),
  createdAt: z.date(),
  keys: z.array(z.strictObject({ id: z.string(), publicJwk })),
  /** All other DIDs that have the same keys. */
  alsoKnownAs: z.array(z.string()),
})

/** A DID with its public keys, the newest first. */
export type StoredDid = z.infer<typeof zStoredDid>

const zRecordIdentity = z.strictObject({
  did: z.string(),
  purpose: z.enum(['issuer', 'verifier']),
  keyId: z.string(),
  publicJwk,
  /** The certificate chain of the key. */
  x5c,
})

/** The DID and the key with which an issuer or verifier record signs now. */
export type RecordIdentity = z.infer<typeof zRecordIdentity>

const zIssuerDid = z.strictObject({ did: z.string() })

/** A DID without the parts of a DID URL (DID Core 1.0 §3.1). */
const DID = /^did:[a-z0-9]+:[\w.:%-]+$/

/**
 * The columns of a DID, with its keys and with all other DIDs of these keys. The table `dids` must have the alias `d`.
 */
const columns = fragment`
  d.did, d.method, d.uuid, d.purpose, d.created_by AS "createdBy", d.key_set_id AS "keySetId", d.holder_id AS "holderId",
  d.created_at AS "createdAt",
  (SELECT coalesce(json_agg(json_build_object('id', k.id, 'publicJwk', k.public_jwk) ORDER BY k.created_at DESC, k.id DESC), '[]')
   FROM keys k WHERE k.key_set_id = d.key_set_id AND (d.key_id IS NULL OR k.id = d.key_id)) AS keys,
  ARRAY(SELECT o.did FROM dids o WHERE o.key_set_id = d.key_set_id AND o.did <> d.did ORDER BY o.did) AS "alsoKnownAs"`

export type DidStore = ReturnType<typeof createDidStore>

/** Inserts a key set with its first key and the key's DIDs. */
export async function insertIdentity(
  tx: Prisma.TransactionClient,
  keySetId: string,
  key: NewKey,
  dids: readonly NewDid[],
  audit: readonly AuditRecord[],
): Promise<void> {
  await tx.keySet.create({ data: { id: keySetId } })
  await tx.key.create({ data: { ...key, keySetId, publicJwk: key.publicJwk } })
  await tx.did.createMany({ data: [...dids] })
  await recordAudit(tx, ...audit)
}

export function createDidStore({ prisma, sql }: Database) {
  const ownIssuers = new LruMap<string, true>(MAX_OWN_ISSUERS)
  const select = (where: Fragment): Promise<StoredDid[]> =>
    sql(zStoredDid)`SELECT ${columns} FROM dids d WHERE ${where}`
  const first = async (where: Fragment): Promise<StoredDid | undefined> => (await select(where))[0]
  const readDid = coalesced(async (dids) => {
    const rows = await select(fragment`d.did = ANY(${[...dids]}::text[])`)
    return new Map(rows.map((row) => [row.did, row]))
  })
  return {
    /** Finds a DID. Concurrent calls share one statement. A text that cannot be a DID is not searched for. */
    find: async (did: string): Promise<StoredDid | undefined> => (DID.test(did) ? readDid(did) : undefined),

    /** Finds a DID by any of several spellings. */
    findAny: (spellings: readonly string[]) => first(fragment`d.did = ANY(${[...spellings]}::text[])`),

    findByUuid: (uuid: string) => first(fragment`d.uuid = ${uuid.toLowerCase()}`),

    /** DIDs of issuers, with all their keys. */
    issuerDids: () => select(fragment`d.purpose = 'issuer' ORDER BY d.created_at, d.did`),

    /**
     * True if the DID belongs to an issuer of this installation. The result `true` is cached, since it never changes.
     */
    async isIssuer(did: string): Promise<boolean> {
      if (ownIssuers.get(did) === true) return true
      const rows = await sql(zIssuerDid)`
        SELECT did FROM dids WHERE did = ${did} AND purpose = 'issuer'`
      if (rows.length > 0) ownIssuers.set(did, true)
      return rows.length > 0
    },

    /** Returns the DID and the key with which each issuer and verifier record signs. */
    recordIdentities: (): Promise<RecordIdentity[]> =>
      sql(zRecordIdentity)`
        SELECT r.did, r.purpose, k.id AS "keyId", k.public_jwk AS "publicJwk", k.x5c
        FROM (SELECT did, key_set_id, created_at, 'issuer' AS purpose FROM issuers
              UNION ALL SELECT did, key_set_id, created_at, 'verifier' FROM verifiers) r
        ${currentKey(fragment`r.key_set_id`)}
        ORDER BY r.created_at, r.did`,

    /** Returns the did:web of a key set. */
    async webDidOf(keySetId: string): Promise<{ readonly did: string; readonly uuid: string } | undefined> {
      const row = await prisma.did.findFirst({ where: { keySetId, method: 'web' }, select: { did: true, uuid: true } })
      return row === null || row.uuid === null ? undefined : { did: row.did, uuid: row.uuid }
    },

    /** Renames a did:web after its base URL has changed. */
    async rename(from: string, to: string): Promise<void> {
      await prisma.did.update({ where: { did: from }, data: { did: to } })
    },

    /** Returns the DIDs of all holders that a caller created. */
    async holderDidsOf(sub: string): Promise<string[]> {
      const rows = await prisma.did.findMany({ where: { holder: { createdBy: sub } }, select: { did: true } })
      return rows.map((row) => row.did)
    },

    ofHolder: (holderId: string) => select(fragment`d.holder_id = ${holderId} ORDER BY d.created_at DESC, d.did`),

    /** DIDs that a caller created through the agent routes, the newest first. */
    createdBy: (sub: string, part: ListPart): Promise<StoredDid[]> =>
      select(fragment`d.created_by = ${sub} ${listPart(fragment`d.created_at`, fragment`d.did`, part)}`),

    insert: (keySetId: string, key: NewKey, dids: readonly NewDid[], audit: readonly AuditRecord[]) =>
      prisma.$transaction((tx) => insertIdentity(tx, keySetId, key, dids, audit)),
  }
}
