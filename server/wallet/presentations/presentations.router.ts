import { paged } from '../../api/paging.js'
import { listing, procedure, router } from '../../api/trpc.js'
import { listWalletPresentations } from './presentations.contract.js'
import { shownPresentation } from './presentations.js'

export const walletPresentationsRouter = router({
  list: procedure(listWalletPresentations)
    .use(listing)
    .query(async ({ ctx, input }) => {
      const { deps } = ctx
      const rows = await paged(
        ctx,
        input,
        ({ walletPresentations }, part) => walletPresentations.list(input.holderId, part),
        (row) => row,
      )
      return Promise.all(rows.map((row) => shownPresentation(deps, row)))
    }),
})
