import { type AuditRecord, recordAudit } from '../../audit/audit.js'
import type { Database } from '../../database/connect.js'

/** What was presented to whom; `content` is as the vault protects it. */
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

    /** The newest first. */
    list: (holderId: string, take: number, after: string | undefined): Promise<StoredPresentation[]> =>
      prisma.walletPresentation.findMany({
        where: { holderId },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        take,
        ...(after === undefined ? {} : { cursor: { id: after }, skip: 1 }),
      }),
  }
}
