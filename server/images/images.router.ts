import { listed } from '../api/paging.js'
import { procedure, readingPrimary, router } from '../api/trpc.js'
import type { RequestAccess } from '../auth/request-access.js'
import type { Sender } from '../auth/rights.js'
import { addImage, deleteImage, listImages, readImage } from './images.contract.js'
import type { ImageCaller, Images } from './images.js'

const callerOf = (ctx: Sender & { readonly access: Pick<RequestAccess, 'mayCall'> }): ImageCaller => ({
  sub: ctx.caller?.sub,
  reachesAll: ctx.access.mayCall(ctx, 'operator'),
})

export const imagesRouter = (images: Omit<Images, 'read' | 'tasks'>) =>
  router({
    add: procedure(addImage).mutation(({ ctx: { caller }, input }) => images.add(caller?.sub, input)),

    list: procedure(listImages)
      .use(readingPrimary(images.store))
      .query(({ ctx, input }) => {
        const wanted = images.wanted(input, callerOf(ctx))
        return listed(ctx, input, (store, part) => store.page(wanted, part), images.listed)
      }),

    remove: procedure(deleteImage).mutation(({ ctx, input }) => images.remove(input.id, callerOf(ctx))),
  })

/** The images themselves, which wallets and browsers fetch by their addresses. */
export const imageFilesRouter = (images: Pick<Images, 'read'>) =>
  router({
    read: procedure(readImage).query(({ input }) => images.read(input.id)),
  })
