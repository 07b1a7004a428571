import { z } from 'zod'
import { type AuditDetail, recordAudit } from '../audit/audit.js'
import { type BatchDone, batchDone, deletedBatch, deletedRow, expiredBatch } from '../database/batch.js'
import type { Database } from '../database/connect.js'
import { fragment } from '../database/fragment.js'
import { type TimedPart, timedPart } from '../database/list-position.js'
import { EXPORT_FORMATS, EXPORT_KINDS } from './export.js'

const zStoredExport = z.strictObject({
  id: z.string(),
  createdBy: z.string().nullable(),
  kind: z.enum(EXPORT_KINDS),
  /** As protected by the vault. */
  subject: z.string().nullable(),
  from: z.date().nullable(),
  to: z.date().nullable(),
  schema: z.string().nullable(),
  format: z.enum(EXPORT_FORMATS),
  createdAt: z.date(),
  expiresAt: z.date(),
  count: z.int().nullable(),
  finishedAt: z.date().nullable(),
})

export type StoredExport = z.infer<typeof zStoredExport>

export type NewExport = Omit<StoredExport, 'count' | 'finishedAt'>

const columns = fragment`
  id, created_by AS "createdBy", kind, subject, from_at AS "from", to_at AS "to", schema, format, created_at AS "createdAt",
  expires_at AS "expiresAt", count, finished_at AS "finishedAt"`

/** A download that has ended. */
export interface EndedDownload {
  readonly id: string
  /** The `sub` of the caller; null for the client secret. */
  readonly actor: string | null
  /** Number of records that were handed over. */
  readonly count: number
  readonly isComplete: boolean
}

export type ExportStore = ReturnType<typeof createExportStore>

export function createExportStore({ prisma, sql, bounded }: Database) {
  return {
    /** Stores an order with its audit row. */
    insert: (order: NewExport, detail: AuditDetail): Promise<void> =>
      prisma.$transaction(async (tx) => {
        const { from: fromAt, to: toAt, ...row } = order
        await tx.export.create({ data: { ...row, fromAt, toAt } })
        const { createdBy: actor, id: subjectId } = order
        await recordAudit(tx, { actor, action: 'export.created', subject: 'export', subjectId, detail })
      }),

    /** An export of a caller that has not expired. @param createdBy null for the client secret */
    async find(id: string, createdBy: string | null, now: Date): Promise<StoredExport | undefined> {
      const [row] = await sql(zStoredExport)`
        SELECT ${columns} FROM exports
        WHERE id = ${id} AND created_by IS NOT DISTINCT FROM ${createdBy} AND expires_at > ${now}`
      return row
    },

    /** Exports of a caller that have not expired, the newest first. @param createdBy null for the client secret */
    page: (createdBy: string | null, now: Date, part: TimedPart): Promise<StoredExport[]> =>
      bounded(zStoredExport)`
        SELECT ${columns} FROM exports
        WHERE ${createdBy === null ? fragment`created_by IS NULL` : fragment`created_by = ${createdBy}`} AND expires_at > ${now}
          ${timedPart(fragment`created_at`, fragment`id`, part)}`,

    /** Records in the audit log that a download begins, before the first record is handed over. */
    began: (subjectId: string, actor: string | null, detail: AuditDetail): Promise<void> =>
      recordAudit(prisma, { actor, action: 'export.read', subject: 'export', subjectId, detail }),

    /** Records the end of a download with the number of its records. */
    ended: ({ id, actor, count, isComplete }: EndedDownload, now: Date): Promise<void> =>
      prisma.$transaction(async (tx) => {
        // The export may have expired meanwhile.
        if (isComplete) await tx.export.updateMany({ where: { id }, data: { count, finishedAt: now } })
        const detail = { records: count, complete: isComplete }
        await recordAudit(tx, { actor, action: 'export.ended', subject: 'export', subjectId: id, detail })
      }),

    /** Deletes expired exports, at most `limit`. */
    async removeExpired(now: Date, limit: number): Promise<BatchDone> {
      return batchDone(await sql(deletedRow)`${deletedBatch(expiredBatch('exports', 'id', now, limit))}`, limit)
    },
  }
}
