import { paged } from '../../paging.js'
import { holderProcedure, router } from '../../trpc.js'
import { listWalletPresentations } from './presentations.contract.js'
import { shownPresentation } from './record.js'

export const walletPresentationsRouter = router({
  list: holderProcedure
    .meta(listWalletPresentations.meta)
    .input(listWalletPresentations.input)
    .output(listWalletPresentations.output)
    .query(async ({ ctx, input }) => {
      const { deps } = ctx
      const rows = await paged(
        ctx,
        input,
        (take, after) => deps.stores.walletPresentations.list(input.holderId, take, after),
        (row) => row.id,
      )
      return Promise.all(rows.map((row) => shownPresentation(deps, row)))
    }),
})
