import type { Context } from '../../api/context.js'
import { changingLists, procedure, reading, router } from '../../api/trpc.js'
import type { Sender } from '../../auth/rights.js'
import { claimOffering, createOffering, listOfferings, offeringQrCode, readOffering } from './offerings.contract.js'
import type { Offerings } from './offerings.js'

/** A request's context with the offerings that its sender reaches. */
const withReach = <Ctx extends Context & Sender>(ctx: Ctx) => ({ ...ctx, reach: ctx.access.reach('issuer', ctx) })

export const offeringsRouter = (offerings: Offerings) =>
  router({
    list: procedure(listOfferings)
      .use(reading(offerings.lists))
      .query(({ ctx, input }) => offerings.list(withReach(ctx), input)),

    create: procedure(createOffering)
      .use(changingLists)
      .mutation(({ ctx: { caller, work }, input }) => offerings.create(caller, input, work)),

    read: procedure(readOffering).query(({ ctx, input }) => offerings.read(withReach(ctx), input.id)),

    qrCode: procedure(offeringQrCode).query(({ ctx, input }) => offerings.qrCode(ctx, input.id)),

    claim: procedure(claimOffering)
      .use(changingLists)
      .mutation(({ ctx: { caller }, input }) => offerings.claim(caller, input.id)),
  })
