import { recordAudit } from '../../audit/audit.js'
import type { Database } from '../../database/connect.js'
import { comesAfter, type ListPart, NEWEST_FIRST } from '../../database/list-position.js'
import type { Prisma } from '../../generated/prisma/client.js'
import type { VpQueryItem } from '../../protocol/openid4vp/query/vp-query.js'

/** A stored VP query. */
export interface VpQueryRecord {
  readonly id: string
  readonly query: readonly VpQueryItem[]
  readonly createdAt: Date
}

type Row = Prisma.VpQueryGetPayload<object>

const toRecord = (row: Row): VpQueryRecord => ({ ...row, query: row.query as unknown as VpQueryItem[] })

export type VpQueryStore = ReturnType<typeof createVpQueryStore>

export function createVpQueryStore({ prisma }: Database) {
  return {
    async insert(record: VpQueryRecord): Promise<void> {
      await prisma.$transaction(async (tx) => {
        const query = [...record.query] as unknown as Prisma.InputJsonArray
        await tx.vpQuery.create({ data: { ...record, query } })
        await recordAudit(tx, { actor: null, action: 'vp-query.created', subject: 'vp-query', subjectId: record.id })
      })
    },

    async find(id: string): Promise<VpQueryRecord | undefined> {
      const row = await prisma.vpQuery.findUnique({ where: { id } })
      return row === null ? undefined : toRecord(row)
    },

    /** The newest first. */
    async list({ take, after }: ListPart): Promise<VpQueryRecord[]> {
      const rows = await prisma.vpQuery.findMany({ where: comesAfter(after), orderBy: NEWEST_FIRST, take })
      return rows.map(toRecord)
    },

    /** Requests under way keep their copy. @returns whether there was such a query. */
    async delete(id: string): Promise<boolean> {
      return prisma.$transaction(async (tx) => {
        const { count } = await tx.vpQuery.deleteMany({ where: { id } })
        if (count === 0) return false
        await recordAudit(tx, { actor: null, action: 'vp-query.deleted', subject: 'vp-query', subjectId: id })
        return true
      })
    },
  }
}
