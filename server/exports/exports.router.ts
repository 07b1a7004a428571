import { onlyLooks } from '../api/context.js'
import { listed } from '../api/paging.js'
import { procedure, readingPrimary, router } from '../api/trpc.js'
import { createExport, listExports, readExport, readExportContent } from './exports.contract.js'
import type { Exports } from './exports.js'

export const exportsRouter = (exports: Exports) =>
  router({
    create: procedure(createExport).mutation(({ ctx, input }) => exports.create(ctx, input)),

    list: procedure(listExports)
      .use(readingPrimary(exports.listStore))
      .query(async ({ ctx, input }) => {
        const { items, ...page } = await listed(ctx, input, exports.page(ctx), (row) => row)
        return { items: await Promise.all(items.map(exports.shown)), ...page }
      }),

    read: procedure(readExport).query(({ ctx, input }) => exports.read(ctx, input.id)),
  })

/** The files. A file is called by its path, since a typed client would read it as a whole. */
export const exportFilesRouter = (exports: Exports) =>
  router({
    content: procedure(readExportContent).query(({ ctx, input }) =>
      exports.content(ctx, input.id, onlyLooks(ctx.request)),
    ),
  })
