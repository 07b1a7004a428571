import type { AuditAction } from '../database/audit-actions.js'
import type { Prisma } from '../generated/prisma/client.js'

/** One audited change: actor, action and id. The record never contains claims. */
export interface AuditRecord {
  /** The caller's `sub`; null for a client secret, a wallet or the service itself. */
  readonly actor: string | null
  readonly action: AuditAction
  /** The kind of the changed record: `credential`, `schema`… */
  readonly subject: string
  readonly subjectId: string
  /** Facts about the action, such as the number of exported rows. Never claims, DIDs or the `sub` of a person. */
  readonly detail?: AuditDetail
}

export type AuditDetail = Readonly<Record<string, string | number | boolean>>

/** Writes audit rows within the caller's transaction. Statements in plain SQL insert their own audit rows. */
export async function recordAudit(tx: Prisma.TransactionClient, ...records: readonly AuditRecord[]): Promise<void> {
  await tx.auditEvent.createMany({ data: [...records] })
}
