import { z } from 'zod'
import { audited } from '../../database/audited.js'
import { type BatchDone, batchDone, deletedBatch, deletedRow, expiredBatch } from '../../database/batch.js'
import type { Database } from '../../database/connect.js'
import { fragment, Step } from '../../database/fragment.js'
import { json } from '../../database/row-shapes.js'
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

const zRead = z.strictObject({ evidence: json<StoredEvidence>(), expiresAt: z.date() })

/** The stored form of a package. */
const storedEvidence = ({ package: evidence }: NewEvidence): string => JSON.stringify(evidence)

/** The package of a row. */
const revealedEvidence = ({ evidence }: z.infer<typeof zRead>): StoredEvidence => evidence

/**
 * The step that stores evidence.
 *
 * @param ended the session that ends, if it does
 */
export const insertEvidence = (evidence: NewEvidence, ended: Step<'id' | 'created_by' | 'ended_at'>): Step =>
  new Step(
    'evidence_kept',
    fragment`
      INSERT INTO verification_evidence (id, created_by, evidence, created_at, expires_at)
      SELECT id, created_by, ${storedEvidence(evidence)}::json, ended_at, ${evidence.expiresAt}::timestamptz FROM ${ended}`,
  )

export type EvidenceStore = ReturnType<typeof createEvidenceStore>

export function createEvidenceStore({ sql }: Database) {
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
      const found = new Step<'id' | 'evidence' | 'expires_at'>(
        'found',
        fragment`SELECT id, evidence, expires_at FROM verification_evidence WHERE id = ${id} AND expires_at > ${now}`,
      )
      const action = { of: found, action: 'evidence.read', subject: 'verification-session' } as const
      const steps = reader === undefined ? [] : [audited({ ...action, actor: reader.actor })]
      const [row] = await sql(zRead, steps)`SELECT evidence, expires_at AS "expiresAt" FROM ${found}`
      return row === undefined ? undefined : { evidence: revealedEvidence(row), expiresAt: row.expiresAt }
    },

    /** Deletes evidence that expired before a moment, at most `limit`. */
    async removeExpired(before: Date, limit: number): Promise<BatchDone> {
      const rows = await sql(deletedRow)`${deletedBatch(expiredBatch(table, 'id', before, limit))}`
      return batchDone(rows, limit)
    },
  }
}
