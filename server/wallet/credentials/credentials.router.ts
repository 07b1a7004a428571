import { paged } from '../../api/paging.js'
import { changingLists, procedure, reading, router } from '../../api/trpc.js'
import type { Formats } from '../../formats/registry.js'
import { deleteWalletCredential, listWalletCredentials, readWalletCredential } from './credentials.contract.js'
import type { WalletCredentials } from './credentials.js'

export const walletCredentialsRouter = (formats: Formats, { lists, shown, read, remove }: WalletCredentials) =>
  router({
    list: procedure(listWalletCredentials(formats))
      .use(reading(lists))
      .query(async ({ ctx, input }) =>
        shown(
          await paged(
            ctx,
            input,
            (store, part) => store.list(input.holderId, part),
            (row) => row,
          ),
          input.locale,
        ),
      ),

    read: procedure(readWalletCredential(formats)).query(({ input }) => read(input)),

    remove: procedure(deleteWalletCredential)
      .use(changingLists)
      .mutation(({ ctx: { caller }, input }) => remove(input, caller.sub)),
  })
