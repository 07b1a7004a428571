import { changingLists, listing, procedure, router } from '../../api/trpc.js'
import type { Formats } from '../../formats/registry.js'
import { deleteWalletCredential, listWalletCredentials, readWalletCredential } from './credentials.contract.js'
import { heldCredentials } from './list.js'
import { heldCredential } from './read.js'
import { removeCredential } from './remove.js'

export const walletCredentialsRouter = (formats: Formats) =>
  router({
    list: procedure(listWalletCredentials(formats))
      .use(listing)
      .query(({ ctx, input }) => heldCredentials(ctx, input)),

    read: procedure(readWalletCredential(formats)).query(({ ctx: { deps }, input }) => heldCredential(deps, input)),

    remove: procedure(deleteWalletCredential)
      .use(changingLists)
      .mutation(({ ctx: { deps, caller }, input }) => removeCredential(deps, caller, input)),
  })
