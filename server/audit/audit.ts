import type { Prisma } from '../generated/prisma/client.js'

/** The actions that the audit table records. */
export type AuditAction =
  | 'key.created'
  | 'key.rotated'
  | 'key.certified'
  | 'holder.created'
  | 'issuer.created'
  | 'verifier.created'
  | 'did.created'
  | 'did.deleted'
  | 'wallet.credential.received'
  | 'wallet.credential.deferred'
  | 'wallet.credential.refused'
  | 'wallet.credential.deleted'
  | 'wallet.presented'
  | 'flow.started'
  | 'flow.confirmed'
  | 'flow.declined'
  | 'schema.created'
  | 'schema.assigned'
  | 'schema.unassigned'
  | 'schema.withdrawn'
  | 'offering.created'
  | 'credential.issued'
  | 'credential.claimed'
  | 'credential.signed'
  | 'credential.revoked'
  | 'credential.suspended'
  | 'credential.reinstated'
  | 'credential-offer.expired'
  | 'credential-offer.locked'
  | 'vp-query.created'
  | 'vp-query.deleted'
  | 'authorization-request.created'
  | 'page.created'
  | 'presentation.verified'
  | 'presentation.refused'
  | 'verification-session.expired'
  | 'export.created'
  | 'export.read'
  | 'export.ended'
  | 'evidence.read'

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
