import { changingLists, listing, procedure, router } from '../../api/trpc.js'
import { addHolder, addHolderDid } from './create.js'
import { createHolder, createHolderDid, deleteHolderDid, listHolderDids, listHolders } from './holders.contract.js'
import { didsOf, ownHolders } from './list.js'
import { removeDid } from './remove-did.js'

export const agentHoldersRouter = router({
  create: procedure(createHolder)
    .use(changingLists)
    .mutation(({ ctx: { deps, caller }, input }) => addHolder(deps, caller, input.method)),

  list: procedure(listHolders)
    .use(listing)
    .query(({ ctx, input }) => ownHolders(ctx, input)),
})

export const holdersRouter = router({
  dids: procedure(listHolderDids)
    .use(listing)
    .query(({ ctx, input }) => didsOf(ctx, input.holderId)),

  createDid: procedure(createHolderDid)
    .use(changingLists)
    .mutation(({ ctx: { deps, caller }, input }) => addHolderDid(deps, caller, input)),

  deleteDid: procedure(deleteHolderDid)
    .use(changingLists)
    .mutation(({ ctx: { deps, caller }, input }) => removeDid(deps, caller, input)),
})
