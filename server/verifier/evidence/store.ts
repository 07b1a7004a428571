import { z } from 'zod'
import { audited } from '../../database/audited.js'
import { type BatchDone, batchDone, deletedBatch, deletedRow, expiredBatch } from '../../database/batch.js'
import type { Database } from '../../database/connect.js'
import { fragment, Step } from '../../database/fragment.js'
import type { ClaimsVault, ProtectedClaims } from '../../keys/claims/vault.js'
import type { NewEvidence } from './make.js'
import type { StoredEvidence } from './package.js'

const table = 'verification_evidence'

const zState = z.strictObject({
  createdBy: z.string().nullable(),
  /** When the session ended; null if it is still open. */
  endedAt: z.date().nullable(),
  /** Seconds for which the session's evidence is kept; null if it has none, or if the session was deleted. */
  evidenceSeconds: z.int().nullable(),
  /** When the stored evidence expires; null if none is stored. */
  expiresAt: z.date().nullable(),
})

/** The state of a session's evidence, without its content. */
export type EvidenceState = z.infer<typeof zState>

const COLUMN = 'verification_evidence.evidence'

const zRead = z.strictObject({ evidence: z.unknown(), evidenceKey: z.string().nullable(), expiresAt: z.date() })

/** Evidence in its stored form. */
export interface ProtectedEvidence {
  readonly package: ProtectedClaims
  readonly expiresAt: Date
}

/** The stored form of evidence. @param id of the session */
export const protectedEvidence = (
  claims: Pick<ClaimsVault, 'protect'>,
  id: string,
  { package: evidence, expiresAt }: NewEvidence,
): ProtectedEvidence => ({ package: claims.protect({ column: COLUMN, id }, evidence), expiresAt })

/**
 * The step that stores evidence. The content key needs a step of its own.
 *
 * @param ended the session that ends, if it does
 */
export const insertEvidence = (
  { package: evidence, expiresAt }: ProtectedEvidence,
  ended: Step<'id' | 'created_by' | 'ended_at'>,
): Step =>
  new Step(
    'evidence_kept',
    fragment`
      INSERT INTO verification_evidence (id, created_by, evidence, created_at, expires_at)
      SELECT id, created_by, ${evidence.json}::json, ended_at, ${expiresAt}::timestamptz FROM ${ended}`,
  )

export type EvidenceStore = ReturnType<typeof createEvidenceStore>

export function createEvidenceStore({ sql }: Database, claims: ClaimsVault) {
  return {
    /** Undefined if there is neither a session nor evidence of it. */
    async state(id: string): Promise<EvidenceState | undefined> {
      const [row] = await sql(zState)`
        SELECT coalesce(s.created_by, e.created_by) AS "createdBy", coalesce(s.ended_at, e.created_at) AS "endedAt",
          s.evidence_seconds AS "evidenceSeconds", e.expires_at AS "expiresAt"
        FROM (SELECT * FROM verification_sessions WHERE id = ${id}) s
        FULL JOIN (SELECT * FROM verification_evidence WHERE id = ${id}) e ON e.id = s.id`
      return row
    },

    /**
     * The evidence of a session; undefined if it has expired.
     *
     * @param reader gets an audit row
     */
    async read(
      id: string,
      now: Date,
      reader?: { readonly actor: string | null },
    ): Promise<{ evidence: StoredEvidence; expiresAt: Date } | undefined> {
      const found = new Step<'id' | 'evidence' | 'evidence_key' | 'expires_at'>(
        'found',
        fragment`
          SELECT id, evidence, ${claims.keyOf(COLUMN, fragment`verification_evidence.id`)} AS evidence_key, expires_at
          FROM verification_evidence WHERE id = ${id} AND expires_at > ${now}`,
      )
      const action = { of: found, action: 'evidence.read', subject: 'verification-session' } as const
      const steps = reader === undefined ? [] : [audited({ ...action, actor: reader.actor })]
      const [row] = await sql(zRead, steps)`
        SELECT evidence, evidence_key AS "evidenceKey", expires_at AS "expiresAt" FROM ${found}`
      if (row === undefined) return undefined
      const { evidence: stored, evidenceKey, expiresAt } = row
      const evidence = claims.reveal<StoredEvidence>({ column: COLUMN, id }, stored, evidenceKey)
      return evidence === null ? undefined : { evidence, expiresAt }
    },

    /** Deletes evidence that expired before a moment, at most `limit`. */
    async removeExpired(before: Date, limit: number): Promise<BatchDone> {
      const rows = await sql(deletedRow)`${deletedBatch(expiredBatch(table, 'id', before, limit))}`
      return batchDone(rows, limit)
    },
  }
}
