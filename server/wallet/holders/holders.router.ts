import { paged } from '../../api/paging.js'
import { changingLists, procedure, reading, router } from '../../api/trpc.js'
import {
  createHolder,
  createHolderDid,
  deleteHolderDid,
  listHolderDids,
  listHolders,
  renameHolder,
} from './holders.contract.js'
import { type Holders, shownDid, shownHolder } from './holders.js'

/** Holders, for the users who created them. */
export const agentHoldersRouter = ({ lists, create }: Holders) =>
  router({
    create: procedure(createHolder)
      .use(changingLists)
      .mutation(async ({ ctx: { caller }, input }) => shownHolder(await create(input, caller.sub))),

    list: procedure(listHolders)
      .use(reading(lists))
      .query(async ({ ctx, input }) => {
        const rows = await paged(
          ctx,
          input,
          ({ holders }, part) => holders.createdBy(ctx.caller.sub, part),
          (row) => row,
        )
        return rows.map(shownHolder)
      }),
  })

/** The name and the DIDs of one holder. */
export const holdersRouter = ({ lists, rename, createDid, removeDid }: Holders) =>
  router({
    rename: procedure(renameHolder)
      .use(changingLists)
      .mutation(async ({ ctx: { caller }, input }) => shownHolder(await rename(input, caller.sub))),

    dids: procedure(listHolderDids)
      .use(reading(lists))
      .query(async ({ ctx, input }) => (await ctx.lists(({ dids }) => dids.ofHolder(input.holderId))).map(shownDid)),

    createDid: procedure(createHolderDid)
      .use(changingLists)
      .mutation(async ({ ctx: { caller }, input }) => shownDid(await createDid(input, caller.sub))),

    deleteDid: procedure(deleteHolderDid)
      .use(changingLists)
      .mutation(({ ctx: { caller }, input }) => removeDid(input, caller.sub)),
  })
