import { recordAudit } from '../../audit/audit.js'
import { audited } from '../../database/audited.js'
import { type BatchDone, batchDone, deletedBatch, deletedRow, expiredBatch } from '../../database/batch.js'
import type { Database } from '../../database/connect.js'
import { fragment, Step } from '../../database/fragment.js'
import { idRow } from '../../database/row-shapes.js'

export type FlowType = 'claim' | 'presentation'

/** The end of a flow, unless it expires. */
export type FlowEnd = 'confirmed' | 'declined'

export type FlowState = 'initialized' | FlowEnd

/** A started flow. The vault has encrypted `content`. */
export interface StoredFlow {
  readonly id: string
  readonly type: FlowType
  /** The `sub` of the user who started the flow. */
  readonly createdBy: string
  readonly did: string
  readonly holderId: string | null
  readonly content: string
  readonly createdAt: Date
  readonly expiresAt: Date
}

export interface FoundFlow extends StoredFlow {
  readonly state: FlowState
}

export type FlowStore = ReturnType<typeof createFlowStore>

export function createFlowStore({ prisma, sql }: Database) {
  return {
    insert: (flow: StoredFlow): Promise<void> =>
      prisma.$transaction(async (tx) => {
        await tx.flow.create({ data: flow })
        await recordAudit(tx, { actor: flow.createdBy, action: 'flow.started', subject: 'flow', subjectId: flow.id })
      }),

    /** A flow of the caller that has not expired. */
    async find(id: string, sub: string, now: Date): Promise<FoundFlow | undefined> {
      const row = await prisma.flow.findFirst({ where: { id, createdBy: sub, expiresAt: { gt: now } } })
      return row === null ? undefined : { ...row, type: row.type as FlowType, state: row.state as FlowState }
    },

    /**
     * Moves a flow from `initialized` to its end and writes the audit row, in one statement: of two simultaneous calls one succeeds.
     *
     * @returns whether this call ended the flow.
     */
    async end(id: string, end: FlowEnd, actor: string): Promise<boolean> {
      const ended = new Step<'id'>(
        'ended',
        fragment`UPDATE flows SET state = ${end}, error_message = NULL WHERE id = ${id} AND state = 'initialized' RETURNING id`,
      )
      const recorded = audited({ of: ended, actor, action: `flow.${end}`, subject: 'flow' })
      const rows = await sql(idRow, [recorded])`SELECT id FROM ${ended}`
      return rows.length > 0
    },

    /** Opens a flow again whose confirmation has failed. */
    async reopen(id: string, errorMessage: string): Promise<void> {
      await prisma.flow.updateMany({ where: { id, state: 'confirmed' }, data: { state: 'initialized', errorMessage } })
    },

    /** Deletes expired flows, at most `limit`. */
    async removeExpired(now: Date, limit: number): Promise<BatchDone> {
      return batchDone(await sql(deletedRow)`${deletedBatch(expiredBatch('flows', 'id', now, limit))}`, limit)
    },
  }
}
