import { onlyLooks } from '../../../api/context.js'
import { listed } from '../../../api/paging.js'
import { procedure, readingPrimary, router } from '../../../api/trpc.js'
import { cancelOfferBatch, listOfferBatches, readOfferBatch, readOfferBatchResult } from './batches.contract.js'
import { batchView, type OfferBatches } from './batches.js'

export const offerBatchesRouter = (batches: OfferBatches) =>
  router({
    list: procedure(listOfferBatches)
      .use(readingPrimary(batches.listStore))
      .query(({ ctx, input }) => listed(ctx, input, batches.page(ctx), batchView)),

    read: procedure(readOfferBatch).query(({ ctx, input }) => batches.read(ctx, input.id)),

    cancel: procedure(cancelOfferBatch).mutation(({ ctx, input }) => batches.cancel(ctx, input)),
  })

/** The result files. A file is called by its path, since a typed client would read it as a whole. */
export const offerBatchFilesRouter = (batches: OfferBatches) =>
  router({
    result: procedure(readOfferBatchResult).query(({ ctx, input }) =>
      batches.result(ctx, input, onlyLooks(ctx.request)),
    ),
  })
