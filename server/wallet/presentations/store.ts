import { type AuditRecord, recordAudit } from '../../audit/audit.js'
import { type BatchDone, batchDone, deletedBatch, deletedRow } from '../../database/batch.js'
import type { Database } from '../../database/connect.js'
import { fragment } from '../../database/fragment.js'
import { comesAfter, type ListPart, NEWEST_FIRST } from '../../database/list-position.js'

/** A presentation to a verifier. The vault has encrypted `content`. */
export interface StoredPresentation {
  readonly id: string
  readonly holderId: string
  readonly content: string
  readonly credentialIds: readonly string[]
  readonly createdAt: Date
}

export type WalletPresentationStore = ReturnType<typeof createWalletPresentationStore>

export function createWalletPresentationStore({ prisma, sql }: Database) {
  return {
    insert: (presentation: StoredPresentation, audit: AuditRecord): Promise<void> =>
      prisma.$transaction(async (tx) => {
        const { credentialIds, ...row } = presentation
        await tx.walletPresentation.create({ data: { ...row, credentialIds: [...credentialIds] } })
        await recordAudit(tx, audit)
      }),

    /** Deletes presentations that were made at `before` or earlier, at most `limit`. */
    async removeOld(before: Date, limit: number): Promise<BatchDone> {
      const due = fragment`created_at <= ${before}`
      const batch = { table: 'wallet_presentations', key: 'id', due, by: 'created_at', limit }
      return batchDone(await sql(deletedRow)`${deletedBatch(batch)}`, limit)
    },

    /** Presentations of a holder, or of one credential of the holder, newest first. */
    list: (
      { holderId, credentialId }: { readonly holderId: string; readonly credentialId?: string | undefined },
      { take, after }: ListPart,
    ): Promise<StoredPresentation[]> =>
      prisma.walletPresentation.findMany({
        where: {
          holderId,
          ...(credentialId === undefined ? {} : { credentialIds: { has: credentialId } }),
          ...comesAfter(after),
        },
        orderBy: NEWEST_FIRST,
        take,
      }),
  }
}
