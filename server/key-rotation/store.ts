import { z } from 'zod'
import { recordAudit } from '../audit/audit.js'
import type { Database } from '../database/connect.js'
import { fragment } from '../database/fragment.js'
import { publicJwk } from '../database/row-shapes.js'
import type { NewDid } from '../dids/store.js'
import { Prisma } from '../generated/prisma/client.js'
import type { NewKey } from '../keys/new-key.js'
import { currentKey } from '../keys/store.js'

const zSigningRecord = z.strictObject({
  kind: z.enum(['issuer', 'verifier']),
  id: z.string(),
  method: z.string(),
  createdBy: z.string().nullable(),
  keySetId: z.string(),
  /** The current signing key. */
  keyId: z.string(),
  alg: z.string(),
  publicJwk,
  /** The key provider that has this key; null for the database. */
  provider: z.string().nullable(),
  /** Whether this key has a certificate. */
  certified: z.boolean(),
  isDefault: z.boolean(),
  /** The hosted DID of the key set. */
  didWeb: z.string().nullable(),
})

/** An issuer or verifier record with the key set that it signs with. */
export type SigningRecord = z.infer<typeof zSigningRecord>

/** A new key that replaces the current key of a key set. */
export interface Rotation {
  readonly keySetId: string
  /** The key that must still be the current key. */
  readonly formerKeyId: string
  readonly key: NewKey
  /** DIDs that are derived from the new key. */
  readonly dids: readonly NewDid[]
  /** The records of the key set, with the DIDs that they use to sign from now on. */
  readonly records: readonly { readonly kind: 'issuer' | 'verifier'; readonly id: string; readonly did: string }[]
  readonly at: Date
  /** The `sub` of the caller; null for a command and for the service itself. */
  readonly actor: string | null
}

/** A key that should sign for its key set, with or without a certificate chain. */
export interface Certification extends Pick<Rotation, 'keySetId' | 'records' | 'at'> {
  readonly keyId: string
  /** Null for a key that signs without a certificate. */
  readonly x5c: readonly string[] | null
}

async function moveRecords(tx: Prisma.TransactionClient, records: Rotation['records']): Promise<void> {
  for (const { kind, id, did } of records) {
    if (kind === 'issuer') await tx.issuer.update({ where: { id }, data: { did } })
    else await tx.verifier.update({ where: { id }, data: { did } })
  }
}

/** Every issuer and verifier record with its current key. The records are named `r`. */
const signing = fragment`
  SELECT r.kind, r.id, r.method, r.created_by AS "createdBy", r.key_set_id AS "keySetId", k.id AS "keyId", k.alg, k.public_jwk AS "publicJwk", k.provider,
    k.x5c IS NOT NULL AS certified, r.is_default AS "isDefault",
    w.did AS "didWeb"
  FROM (SELECT 'issuer' AS kind, id, method, created_by, key_set_id, created_at, is_default FROM issuers
        UNION ALL SELECT 'verifier', id, method, created_by, key_set_id, created_at, is_default FROM verifiers) r
  ${currentKey(fragment`r.key_set_id`)}
  LEFT JOIN dids w ON w.key_set_id = r.key_set_id AND w.method = 'web'`

const TABLES = { issuer: fragment`issuers`, verifier: fragment`verifiers` } as const

export type KeyRotationStore = ReturnType<typeof createKeyRotationStore>

export function createKeyRotationStore({ prisma, sql }: Database) {
  return {
    /** Every issuer and verifier record, the oldest first. */
    signingRecords: (): Promise<SigningRecord[]> => sql(zSigningRecord)`${signing} ORDER BY r.created_at, r.id`,

    /** All records that sign with the key set of one record. Empty for an unknown record. */
    recordsBeside: (kind: SigningRecord['kind'], id: string): Promise<SigningRecord[]> =>
      sql(zSigningRecord)`
        ${signing} WHERE r.key_set_id = (SELECT key_set_id FROM ${TABLES[kind]} WHERE id = ${id}) ORDER BY r.created_at, r.id`,

    /** Whether one of these DIDs is in use. */
    isTaken: async (dids: readonly Pick<NewDid, 'did'>[]): Promise<boolean> =>
      (await prisma.did.count({ where: { did: { in: dids.map(({ did }) => did) } } })) > 0,

    /** Makes a key set with its first key, unless a key set with this id exists, in one transaction. */
    begin: (keySetId: string, key: NewKey): Promise<void> =>
      prisma.$transaction(async (tx) => {
        // The second of two calls waits for the first call, and then makes no key.
        const { count } = await tx.keySet.createMany({ data: [{ id: keySetId }], skipDuplicates: true })
        if (count === 0) return
        await tx.key.create({ data: { ...key, keySetId, publicJwk: key.publicJwk as Prisma.InputJsonObject } })
        await recordAudit(tx, { actor: null, action: 'key.created', subject: 'key', subjectId: key.id })
      }),

    /**
     * Makes a new key the signing key of a key set, in one transaction. Former keys are kept, since their signatures must stay
     * verifiable.
     *
     * @returns false if another rotation was faster; then nothing is written.
     */
    rotate: (rotation: Rotation): Promise<boolean> =>
      prisma.$transaction(async (tx) => {
        const { keySetId, formerKeyId, key, dids, records, at, actor } = rotation
        await tx.$queryRaw`SELECT id FROM key_sets WHERE id = ${keySetId} FOR UPDATE`
        const { count } = await tx.key.updateMany({
          where: { id: formerKeyId, keySetId, retiredAt: null },
          data: { retiredAt: at },
        })
        if (count === 0) return false
        await tx.key.updateMany({ where: { keySetId, retiredAt: null }, data: { retiredAt: at } })
        await tx.key.create({ data: { ...key, keySetId, publicJwk: key.publicJwk as Prisma.InputJsonObject } })
        await tx.did.createMany({ data: [...dids] })
        await moveRecords(tx, records)
        await recordAudit(tx, { actor, action: 'key.rotated', subject: 'key', subjectId: key.id })
        return true
      }),

    /**
     * Makes a former key of a key set its signing key again, with the given chain, in one transaction. Later keys may
     * have replaced the former key.
     */
    signAgain: ({ keySetId, keyId, x5c, records, at }: Certification): Promise<void> =>
      prisma.$transaction(async (tx) => {
        await tx.$queryRaw`SELECT id FROM key_sets WHERE id = ${keySetId} FOR UPDATE`
        await tx.key.updateMany({
          where: { keySetId, retiredAt: null, id: { not: keyId } },
          data: { retiredAt: at },
        })
        await tx.key.update({
          where: { id: keyId },
          data: { retiredAt: null, x5c: x5c === null ? Prisma.DbNull : [...x5c] },
        })
        await moveRecords(tx, records)
        await recordAudit(tx, {
          actor: null,
          action: x5c === null ? 'key.rotated' : 'key.certified',
          subject: 'key',
          subjectId: keyId,
        })
      }),
  }
}
