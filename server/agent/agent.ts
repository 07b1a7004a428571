import type { z } from 'zod'
import { documentOf } from '../dids/documents.js'
import { paged } from '../paging.js'
import { adminProcedure, router } from '../trpc.js'
import { listIssuers, readDid, type zAgentRecord } from './agent.contract.js'
import type { AgentRecord } from './store.js'

const shown = (record: AgentRecord): z.input<typeof zAgentRecord> => ({
  id: record.id,
  did: record.did,
  method: record.method as 'key' | 'web',
  display: record.display.map((entry) => ({ ...entry })),
  isDefault: record.isDefault,
  createdAt: record.createdAt.toISOString(),
})

/** A did:web with a port is written with `%3A`; a path that was decoded once shows it as `:`. */
const spellings = (did: string): string[] => [did, did.replace(/^(did:web:[^:]+):(\d+)(?=:|$)/, '$1%3A$2')]

export const agentRouter = router({
  issuers: adminProcedure
    .meta(listIssuers.meta)
    .input(listIssuers.input)
    .output(listIssuers.output)
    .query(async ({ ctx, input }) => {
      const { agents } = ctx.deps.stores
      const rows = await paged(
        ctx,
        input,
        (take, after) => agents.issuers(ctx.caller.sub, take, after),
        (row) => row.id,
      )
      return rows.map(shown)
    }),

  did: adminProcedure
    .meta(readDid.meta)
    .input(readDid.input)
    .output(readDid.output)
    .query(async ({ ctx: { deps }, input }) => {
      const found = await deps.stores.dids.findAny(spellings(input.did))
      if (found === undefined) return null
      const { did, method, createdAt } = found
      return { did, method, createdAt: createdAt.toISOString(), document: { ...documentOf(found, deps.config) } }
    }),
})
