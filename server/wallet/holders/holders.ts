import type { z } from 'zod'
import { newIdentity } from '../../dids/identity.js'
import { paged } from '../../paging.js'
import { adminProcedure, holderProcedure, router } from '../../trpc.js'
import { createHolder, listHolderDids, listHolders, type zHolder } from './holders.contract.js'
import type { Holder } from './store.js'

const shown = (holder: Holder): z.input<typeof zHolder> => ({
  id: holder.id,
  did: holder.did,
  method: holder.method as 'key' | 'web',
  createdAt: holder.createdAt.toISOString(),
})

export const agentHoldersRouter = router({
  create: adminProcedure
    .meta(createHolder.meta)
    .input(createHolder.input)
    .output(createHolder.output)
    .mutation(async ({ ctx: { deps, caller }, input }) => {
      const id = deps.newId()
      const identity = await newIdentity(deps.vault, deps.newId, {
        method: input.method,
        purpose: 'holder',
        createdBy: caller.sub,
        holderId: id,
        baseUrl: deps.config.issuerBaseUrl,
      })
      const holder = await deps.stores.holders.insert(id, input.method, caller.sub, identity, [
        { actor: caller.sub, action: 'holder.created', subject: 'holder', subjectId: id },
        { actor: caller.sub, action: 'key.created', subject: 'key', subjectId: identity.key.id },
      ])
      return shown(holder)
    }),

  list: adminProcedure
    .meta(listHolders.meta)
    .input(listHolders.input)
    .output(listHolders.output)
    .query(async ({ ctx, input }) => {
      const { holders } = ctx.deps.stores
      const rows = await paged(
        ctx,
        input,
        (take, after) => holders.createdBy(ctx.caller.sub, take, after),
        (row) => row.id,
      )
      return rows.map(shown)
    }),
})

export const holdersRouter = router({
  dids: holderProcedure
    .meta(listHolderDids.meta)
    .input(listHolderDids.input)
    .output(listHolderDids.output)
    .query(async ({ ctx: { deps }, input }) => {
      const dids = await deps.stores.dids.ofHolder(input.holderId)
      return dids.map(({ did, method, createdAt }) => ({ did, method, createdAt: createdAt.toISOString() }))
    }),
})
