import { paged } from '../../api/paging.js'
import { procedure, reading, router } from '../../api/trpc.js'
import { listWalletPresentations } from './presentations.contract.js'
import type { WalletPresentations } from './presentations.js'

export const walletPresentationsRouter = ({ lists, shown }: WalletPresentations) =>
  router({
    list: procedure(listWalletPresentations)
      .use(reading(lists))
      .query(async ({ ctx, input }) => {
        const rows = await paged(
          ctx,
          input,
          (store, part) => store.list(input, part),
          (row) => row,
        )
        return Promise.all(rows.map(shown))
      }),
  })
