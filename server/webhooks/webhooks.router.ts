import { listed } from '../api/paging.js'
import { procedure, readingPrimary, router } from '../api/trpc.js'
import { makerOf, reachedBy } from './maker.js'
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  listDeliveries,
  listWebhooks,
  readWebhook,
  replayWebhook,
  resendDelivery,
  rotateSecret,
  testWebhook,
} from './webhooks.contract.js'
import { shownDelivery, shownWebhook, type Webhooks } from './webhooks.js'

export const webhooksRouter = (webhooks: Webhooks) =>
  router({
    create: procedure(createWebhook).mutation(({ ctx, input }) => webhooks.create(input, makerOf(ctx.access, ctx))),

    list: procedure(listWebhooks)
      .use(readingPrimary(webhooks.store))
      .query(({ ctx, input }) => {
        const creator = reachedBy(makerOf(ctx.access, ctx))
        return listed(ctx, input, (store, part) => store.page(creator, part), shownWebhook)
      }),

    read: procedure(readWebhook).query(async ({ ctx, input }) =>
      shownWebhook(await webhooks.read(input.id, makerOf(ctx.access, ctx))),
    ),

    change: procedure(changeWebhook).mutation(async ({ ctx, input }) =>
      shownWebhook(await webhooks.change(input, makerOf(ctx.access, ctx))),
    ),

    remove: procedure(deleteWebhook).mutation(({ ctx, input }) => webhooks.remove(input.id, makerOf(ctx.access, ctx))),

    rotateSecret: procedure(rotateSecret).mutation(({ ctx, input }) =>
      webhooks.rotate(input.id, makerOf(ctx.access, ctx)),
    ),

    test: procedure(testWebhook).mutation(({ ctx, input }) => webhooks.test(input.id, makerOf(ctx.access, ctx))),

    deliveries: procedure(listDeliveries)
      .use(readingPrimary(webhooks.deliveries))
      .query(async ({ ctx, input: { id, outcome, ...page } }) => {
        await webhooks.read(id, makerOf(ctx.access, ctx))
        return listed(
          ctx,
          { ...page, ...(outcome === undefined ? {} : { outcome }) },
          (store, part) => store.page(id, outcome, part),
          shownDelivery,
        )
      }),

    resend: procedure(resendDelivery).mutation(({ ctx, input }) =>
      webhooks.resend(input.id, input.deliveryId, makerOf(ctx.access, ctx)),
    ),

    replay: procedure(replayWebhook).mutation(({ ctx, input }) => webhooks.replay(input, makerOf(ctx.access, ctx))),
  })
