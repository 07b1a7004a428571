import type { Context } from '../context.js'
import { errors } from '../errors.js'
import type { ProtocolReply } from '../protocol/oauth/reply.js'
import { publicProcedure, router } from '../trpc.js'
import { STATUS_LIST_TTL_SECONDS, type StatusListForm } from './publication.js'
import { bitstringStatusList, tokenStatusList } from './status-lists.contract.js'

/** A list with caching headers; 304 where the caller has it already (RFC 9110 §13.1.2). */
async function published(ctx: Context, form: StatusListForm, id: string): Promise<ProtocolReply> {
  const list = await ctx.deps.statusLists.publish(form, id)
  if (list === undefined) throw errors.statusListNotFound()
  const caching = { etag: list.etag, 'cache-control': `public, max-age=${STATUS_LIST_TTL_SECONDS}` }
  const known = (ctx.request.headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  if (known.includes(list.etag) || known.includes('*')) return { status: 304, headers: caching }
  return { status: 200, headers: { ...caching, 'content-type': list.mediaType }, body: list.body }
}

export const statusListsRouter = router({
  bitstring: publicProcedure
    .meta(bitstringStatusList.meta)
    .input(bitstringStatusList.input)
    .output(bitstringStatusList.output)
    .query(({ ctx, input }) => published(ctx, 'bitstring', input.id)),

  token: publicProcedure
    .meta(tokenStatusList.meta)
    .input(tokenStatusList.input)
    .output(tokenStatusList.output)
    .query(({ ctx, input }) => published(ctx, 'token', input.id)),
})
