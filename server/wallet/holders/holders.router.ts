import type { z } from 'zod'
import { didSpellings } from '../../agent/dids.js'
import type { Deps } from '../../deps.js'
import { newIdentity } from '../../dids/identity.js'
import type { StoredDid } from '../../dids/store.js'
import { errors } from '../../errors.js'
import { paged } from '../../paging.js'
import { changingLists, listing, procedure, router } from '../../trpc.js'
import {
  createHolder,
  createHolderDid,
  deleteHolderDid,
  listHolderDids,
  listHolders,
  type zHolder,
} from './holders.contract.js'
import type { Holder } from './store.js'

const shown = (holder: Holder): z.input<typeof zHolder> => ({
  id: holder.id,
  did: holder.did,
  method: holder.method as 'key' | 'web',
  createdAt: holder.createdAt.toISOString(),
})

export const agentHoldersRouter = router({
  create: procedure(createHolder)
    .use(changingLists)
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

  list: procedure(listHolders)
    .use(listing)
    .query(async ({ ctx, input }) => {
      const rows = await paged(
        ctx,
        input,
        ({ holders }, part) => holders.createdBy(ctx.caller.sub, part),
        (row) => row,
      )
      return rows.map(shown)
    }),
})

const shownDid = ({ did, method, createdAt }: StoredDid) => ({ did, method, createdAt: createdAt.toISOString() })

/** Makes a DID of a holder, with a key of its own. */
async function createDid(deps: Deps, holderId: string, method: 'key' | 'web', sub: string): Promise<StoredDid> {
  const { dids } = deps.stores
  const identity = await newIdentity(deps.vault, deps.newId, {
    method,
    purpose: 'holder',
    createdBy: sub,
    holderId,
    baseUrl: deps.config.issuerBaseUrl,
  })
  await dids.insert(identity.keySetId, identity.key, identity.dids, [
    { actor: sub, action: 'did.created', subject: 'did', subjectId: identity.did },
    { actor: sub, action: 'key.created', subject: 'key', subjectId: identity.key.id },
  ])
  const stored = await dids.find(identity.did)
  if (stored === undefined) throw new Error('A DID was not stored.')
  return stored
}

export const holdersRouter = router({
  dids: procedure(listHolderDids)
    .use(listing)
    .query(async ({ ctx, input }) => (await ctx.lists(({ dids }) => dids.ofHolder(input.holderId))).map(shownDid)),

  createDid: procedure(createHolderDid)
    .use(changingLists)
    .mutation(async ({ ctx: { deps, caller }, input }) =>
      shownDid(await createDid(deps, input.holderId, input.method, caller.sub)),
    ),

  deleteDid: procedure(deleteHolderDid)
    .use(changingLists)
    .mutation(async ({ ctx: { deps, caller }, input }) => {
      const outcome = await deps.stores.holders.removeDid(input.holderId, didSpellings(input.did), caller.sub)
      if (outcome === 'unknown') throw errors.holderDidNotFound()
      if (outcome === 'in-use') throw errors.holderDidInUse()
    }),
})
