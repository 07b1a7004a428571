import { type AuditRecord, recordAudit } from '../audit/audit.js'
import type { Database } from '../database/connect.js'
import { comesAfter, type ListPart, NEWEST_FIRST } from '../database/list-position.js'
import type { NewIdentity } from '../dids/identity.js'
import { insertIdentity } from '../dids/store.js'
import type { Prisma } from '../generated/prisma/client.js'
import type { ImageUser } from '../images/store.js'
import type { Branding } from './branding.js'

/** A name, its language and a logo, as shown in metadata. */
export interface DisplayEntry {
  readonly name: string
  readonly locale?: string | undefined
  /** The `uri` of an image of this service is its path (`protocol/stored-image.ts`). */
  readonly logo?:
    | { readonly uri: string; readonly 'uri#integrity'?: string | undefined; readonly alt_text?: string | undefined }
    | undefined
}

/** An issuer or verifier record. */
export interface AgentRecord {
  readonly id: string
  readonly did: string
  readonly method: string
  readonly display: readonly DisplayEntry[]
  readonly branding: Branding | null
  readonly isDefault: boolean
  readonly createdBy: string | null
  readonly createdAt: Date
  readonly keySetId: string
}

/** The task of an issuer's key: it signs every document, or only the certificates of short-lived signers. */
export type Signing = 'every' | 'delegated'

export interface IssuerRecord extends AgentRecord {
  readonly signing: Signing
}

export interface NewAgentRecord {
  readonly id: string
  readonly method: string
  readonly display: readonly DisplayEntry[]
  readonly branding?: Branding | undefined
  /** The stored images that its display refers to. */
  readonly imageIds: readonly string[]
  readonly isDefault: boolean
  readonly createdBy: string | null
}

export interface NewIssuerRecord extends NewAgentRecord {
  /** Default: `every`. */
  readonly signing?: Signing | undefined
}

type Row = Prisma.VerifierGetPayload<object>

const toRecord = (row: Row): AgentRecord => ({
  ...row,
  display: (row.display as DisplayEntry[] | null) ?? [],
  // Only accepted branding is stored.
  branding: row.branding as Branding | null,
})

/** A constraint of the table allows only the two values. */
const toIssuer = (row: Prisma.IssuerGetPayload<object>): IssuerRecord => ({
  ...toRecord(row),
  signing: row.signing as Signing,
})

const usesOf = (usedBy: ImageUser, { id, imageIds }: NewAgentRecord) =>
  imageIds.map((imageId) => ({ imageId, usedBy, usedById: id }))

const dataOf = ({ imageIds: _uses, branding, ...record }: NewAgentRecord, identity: NewIdentity) => ({
  ...record,
  ...(branding === undefined ? {} : { branding }),
  // The copy is needed for the type: Prisma's JSON type has an index signature, but the type of an entry has none.
  display: [...record.display] as unknown as Prisma.InputJsonArray,
  did: identity.did,
  keySetId: identity.keySetId,
})

/** Selects the caller's records and the default record. The default record belongs to every admin. */
const visibleTo = (sub: string) => ({ OR: [{ createdBy: sub }, { isDefault: true }] })

export type AgentStore = ReturnType<typeof createAgentStore>

export function createAgentStore({ prisma }: Database) {
  return {
    async issuers(sub: string, { take, after }: ListPart): Promise<IssuerRecord[]> {
      const where = { AND: [visibleTo(sub), comesAfter(after)] }
      const rows = await prisma.issuer.findMany({ where, orderBy: NEWEST_FIRST, take })
      return rows.map(toIssuer)
    },

    async verifiers(sub: string, { take, after }: ListPart): Promise<AgentRecord[]> {
      const where = { AND: [visibleTo(sub), comesAfter(after)] }
      const rows = await prisma.verifier.findMany({ where, orderBy: NEWEST_FIRST, take })
      return rows.map(toRecord)
    },

    async issuer(id: string, sub: string): Promise<IssuerRecord | undefined> {
      const row = await prisma.issuer.findFirst({ where: { id, ...visibleTo(sub) } })
      return row === null ? undefined : toIssuer(row)
    },

    async verifier(id: string, sub: string): Promise<AgentRecord | undefined> {
      const row = await prisma.verifier.findFirst({ where: { id, ...visibleTo(sub) } })
      return row === null ? undefined : toRecord(row)
    },

    async issuerExists(id: string): Promise<boolean> {
      return (await prisma.issuer.findUnique({ where: { id }, select: { id: true } })) !== null
    },

    async defaultIssuer(): Promise<IssuerRecord | undefined> {
      const row = await prisma.issuer.findFirst({ where: { isDefault: true } })
      return row === null ? undefined : toIssuer(row)
    },

    async defaultVerifier(): Promise<AgentRecord | undefined> {
      const row = await prisma.verifier.findFirst({ where: { isDefault: true } })
      return row === null ? undefined : toRecord(row)
    },

    insertIssuer: (
      { signing, ...record }: NewIssuerRecord,
      identity: NewIdentity,
      audit: readonly AuditRecord[],
    ): Promise<IssuerRecord> =>
      prisma.$transaction(async (tx) => {
        await insertIdentity(tx, identity.keySetId, identity.key, identity.dids, audit)
        await tx.imageUse.createMany({ data: usesOf('issuer', record) })
        return toIssuer(
          await tx.issuer.create({
            data: { ...dataOf(record, identity), ...(signing === undefined ? {} : { signing }) },
          }),
        )
      }),

    insertVerifier: (
      record: NewAgentRecord,
      identity: NewIdentity,
      audit: readonly AuditRecord[],
    ): Promise<AgentRecord> =>
      prisma.$transaction(async (tx) => {
        await insertIdentity(tx, identity.keySetId, identity.key, identity.dids, audit)
        await tx.imageUse.createMany({ data: usesOf('verifier', record) })
        return toRecord(await tx.verifier.create({ data: dataOf(record, identity) }))
      }),

    /**
     * Changes what the key of an issuer signs, if it is something else now.
     *
     * @param actor who changes it; null for the start
     */
    setSigning: (id: string, signing: Signing, actor: string | null): Promise<void> =>
      prisma.$transaction(async (tx) => {
        const { count } = await tx.issuer.updateMany({ where: { id, signing: { not: signing } }, data: { signing } })
        if (count > 0)
          await recordAudit(tx, { actor, action: 'issuer.signing_changed', subject: 'issuer', subjectId: id })
      }),

    /** Makes a record sign under a different DID of its key set, after a rotation or a change of the base URL. */
    async signAs(kind: 'issuer' | 'verifier', id: string, did: string): Promise<void> {
      if (kind === 'issuer') await prisma.issuer.update({ where: { id }, data: { did } })
      else await prisma.verifier.update({ where: { id }, data: { did } })
    },
  }
}
