import { z } from 'zod'
import type { AuditAction } from '../../database/audit-actions.js'
import { audited } from '../../database/audited.js'
import type { Database } from '../../database/connect.js'
import { fragment, Step } from '../../database/fragment.js'
import { type ListPart, listPart } from '../../database/list-position.js'
import { idRow } from '../../database/row-shapes.js'

const zTrustedIssuer = z.strictObject({
  id: z.string(),
  issuer: z.string(),
  note: z.string().nullable(),
  /** Null for the client secret. */
  createdBy: z.string().nullable(),
  createdAt: z.date(),
})

/** An issuer that an operator added to the configured issuers. */
export type TrustedIssuer = z.infer<typeof zTrustedIssuer>

const columns = fragment`id, issuer, note, created_by AS "createdBy", created_at AS "createdAt"`

/** The audit event names the issuer, because the row of the issuer may be deleted later. */
const auditedTrust = (action: AuditAction, actor: string | null, of: Step<'issuer'>): Step =>
  audited({ of, actor, action, subject: 'trusted-issuer', subjectId: of.column('issuer') })

export type TrustedIssuerStore = ReturnType<typeof createTrustedIssuerStore>

export function createTrustedIssuerStore({ bounded, sql }: Database) {
  return {
    /** Whether a DID or an origin was added. */
    async has(name: string): Promise<boolean> {
      const rows = await sql(idRow)`SELECT id FROM trusted_issuers WHERE issuer = ${name}`
      return rows.length > 0
    },

    /** Added issuers, newest first. */
    page: (part: ListPart): Promise<TrustedIssuer[]> =>
      bounded(zTrustedIssuer)`
        SELECT ${columns} FROM trusted_issuers WHERE true ${listPart(fragment`created_at`, fragment`id`, part)}`,

    /** @returns undefined if the issuer is already in the list; then nothing was written. */
    async add({ id, issuer, note, createdBy }: Omit<TrustedIssuer, 'createdAt'>): Promise<TrustedIssuer | undefined> {
      const added = new Step<'issuer' | 'created_by'>(
        'added',
        fragment`
          INSERT INTO trusted_issuers (id, issuer, note, created_by) VALUES (${id}, ${issuer}, ${note}, ${createdBy})
          ON CONFLICT (issuer) DO NOTHING RETURNING *`,
      )
      const [row] = await sql(zTrustedIssuer, [auditedTrust('trusted-issuer.added', createdBy, added)])`
        SELECT ${columns} FROM ${added}`
      return row
    },

    /** @returns false for an unknown id. */
    async remove(id: string, actor: string | null): Promise<boolean> {
      const removed = new Step<'id' | 'issuer'>(
        'removed',
        fragment`DELETE FROM trusted_issuers WHERE id = ${id} RETURNING id, issuer`,
      )
      const rows = await sql(idRow, [auditedTrust('trusted-issuer.removed', actor, removed)])`SELECT id FROM ${removed}`
      return rows.length > 0
    },
  }
}
