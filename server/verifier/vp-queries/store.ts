import { z } from 'zod'
import { recordAudit } from '../../audit/audit.js'
import type { Database } from '../../database/connect.js'
import { fragment } from '../../database/fragment.js'
import { type ListPart, listPart } from '../../database/list-position.js'
import { json } from '../../database/row-shapes.js'
import type { Prisma } from '../../generated/prisma/client.js'
import type { VpQueryItem } from '../../protocol/openid4vp/query/vp-query.js'

const zRecord = z.strictObject({
  id: z.string(),
  /** A name for people; null without a name. */
  name: z.string().nullable(),
  /** Why the verifier asks, for requests without a purpose of their own; null without a purpose. */
  purpose: z.string().nullable(),
  query: json<readonly VpQueryItem[]>(),
  createdAt: z.date(),
})

/** A stored VP query. */
export type VpQueryRecord = z.infer<typeof zRecord>

const columns = fragment`id, name, purpose, query, created_at AS "createdAt"`

export type VpQueryStore = ReturnType<typeof createVpQueryStore>

export function createVpQueryStore({ prisma, sql }: Database) {
  return {
    async insert(record: VpQueryRecord, actor: string | null): Promise<void> {
      await prisma.$transaction(async (tx) => {
        // Prisma's type of JSON has an index signature; the type of an item has none.
        const query = [...record.query] as unknown as Prisma.InputJsonArray
        await tx.vpQuery.create({ data: { ...record, query } })
        await recordAudit(tx, { actor, action: 'vp-query.created', subject: 'vp-query', subjectId: record.id })
      })
    },

    async find(id: string): Promise<VpQueryRecord | undefined> {
      const [row] = await sql(zRecord)`SELECT ${columns} FROM vp_queries WHERE id = ${id}`
      return row
    },

    /** VP queries, newest first. */
    list(part: ListPart): Promise<VpQueryRecord[]> {
      return sql(zRecord)`
        SELECT ${columns} FROM vp_queries
        WHERE true ${listPart(fragment`created_at`, fragment`id`, part)}`
    },

    /** Deletes a query. Open requests keep their copy. @returns whether the query existed. */
    async delete(id: string, actor: string | null): Promise<boolean> {
      return prisma.$transaction(async (tx) => {
        const { count } = await tx.vpQuery.deleteMany({ where: { id } })
        if (count === 0) return false
        await recordAudit(tx, { actor, action: 'vp-query.deleted', subject: 'vp-query', subjectId: id })
        return true
      })
    },
  }
}
