import { changingLists, listing, procedure, router } from '../../api/trpc.js'
import { claim } from './claim.js'
import { addOffering } from './create.js'
import { offeringsFor } from './list.js'
import { claimOffering, createOffering, listOfferings, offeringQrCode, readOffering } from './offerings.contract.js'
import { qrCodeOfOffering } from './qr-code.js'
import { offeringFor } from './read.js'

export const offeringsRouter = router({
  list: procedure(listOfferings)
    .use(listing)
    .query(({ ctx, input }) => offeringsFor(ctx, input)),

  create: procedure(createOffering)
    .use(changingLists)
    .mutation(({ ctx: { deps, caller, work }, input }) => addOffering(deps, caller, input, work)),

  read: procedure(readOffering).query(({ ctx, input }) => offeringFor(ctx.deps, ctx, input.id)),

  qrCode: procedure(offeringQrCode).query(({ ctx, input }) => qrCodeOfOffering(ctx, input.id)),

  claim: procedure(claimOffering)
    .use(changingLists)
    .mutation(({ ctx: { deps, caller }, input }) => claim(deps, caller, input.id)),
})
