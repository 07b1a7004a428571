import { type AuditRecord, recordAudit } from '../../audit/audit.js'
import type { Database } from '../../database/connect.js'
import { comesAfter, type ListPart, NEWEST_FIRST } from '../../database/list-position.js'
import type { NewIdentity } from '../../dids/identity.js'
import { insertIdentity } from '../../dids/store.js'

export interface Holder {
  readonly id: string
  readonly did: string | undefined
  readonly method: string
  /** A name for people; null without a name. */
  readonly name: string | null
  readonly createdAt: Date
}

/** The DID that a holder was created with. */
const FIRST_DID = { dids: { select: { did: true }, orderBy: { createdAt: 'asc' }, take: 1 } } as const

export type HolderStore = ReturnType<typeof createHolderStore>

export function createHolderStore({ prisma }: Database) {
  return {
    insert: (
      holder: Pick<Holder, 'id' | 'method' | 'name'> & { readonly createdBy: string },
      identity: NewIdentity,
      audit: readonly AuditRecord[],
    ): Promise<Holder> =>
      prisma.$transaction(async (tx) => {
        const row = await tx.holder.create({ data: holder })
        await insertIdentity(tx, identity.keySetId, identity.key, identity.dids, audit)
        return { ...row, did: identity.did }
      }),

    /** Changes a holder's name, and records who changed it. */
    rename: (id: string, name: string, actor: string): Promise<Holder> =>
      prisma.$transaction(async (tx) => {
        const { dids, ...row } = await tx.holder.update({ where: { id }, data: { name }, include: FIRST_DID })
        await recordAudit(tx, { actor, action: 'holder.renamed', subject: 'holder', subjectId: id })
        return { ...row, did: dids[0]?.did }
      }),

    async createdBy(sub: string, { take, after }: ListPart): Promise<Holder[]> {
      const rows = await prisma.holder.findMany({
        where: { createdBy: sub, ...comesAfter(after) },
        include: FIRST_DID,
        orderBy: NEWEST_FIRST,
        take,
      })
      return rows.map(({ dids, ...row }) => ({ ...row, did: dids[0]?.did }))
    },

    /** Deletes a holder's DID and its key, unless a credential is bound to the key or a deferred credential will be bound to it. */
    removeDid: (
      holderId: string,
      spellings: readonly string[],
      actor: string,
    ): Promise<'removed' | 'unknown' | 'in-use'> =>
      prisma.$transaction(async (tx) => {
        const found = await tx.did.findFirst({ where: { did: { in: [...spellings] }, holderId } })
        if (found === null) return 'unknown'
        const { did, keySetId } = found
        const bound = await tx.walletCredentialCopy.count({ where: { key: { keySetId } } })
        if (bound > 0) return 'in-use'
        const keys = await tx.key.findMany({ where: { keySetId }, select: { id: true } })
        const awaited = await tx.walletPendingIssuance.count({
          where: { keyIds: { hasSome: keys.map(({ id }) => id) } },
        })
        if (awaited > 0) return 'in-use'
        await tx.did.delete({ where: { did } })
        await tx.keySet.deleteMany({ where: { id: keySetId, dids: { none: {} } } })
        await recordAudit(tx, { actor, action: 'did.deleted', subject: 'did', subjectId: did })
        return 'removed'
      }),

    async isOwnedBy(id: string, sub: string): Promise<boolean> {
      return (await prisma.holder.findFirst({ where: { id, createdBy: sub }, select: { id: true } })) !== null
    },
  }
}
