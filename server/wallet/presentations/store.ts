import { type AuditRecord, recordAudit } from '../../audit/audit.js'
import type { Database } from '../../database/connect.js'
import { comesAfter, type ListPart, NEWEST_FIRST } from '../../database/list-position.js'

/** A presentation to a verifier. The vault has encrypted `content`. */
export interface StoredPresentation {
  readonly id: string
  readonly holderId: string
  readonly content: string
  readonly createdAt: Date
}

export type WalletPresentationStore = ReturnType<typeof createWalletPresentationStore>

export function createWalletPresentationStore({ prisma }: Database) {
  return {
    insert: (presentation: StoredPresentation, audit: AuditRecord): Promise<void> =>
      prisma.$transaction(async (tx) => {
        await tx.walletPresentation.create({ data: presentation })
        await recordAudit(tx, audit)
      }),

    /** Presentations of a holder, newest first. */
    list: (holderId: string, { take, after }: ListPart): Promise<StoredPresentation[]> =>
      prisma.walletPresentation.findMany({
        where: { holderId, ...comesAfter(after) },
        orderBy: NEWEST_FIRST,
        take,
      }),
  }
}
