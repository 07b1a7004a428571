import type { CallerContext, ListContext } from '../../api/context.js'
import { type Page, paged } from '../../api/paging.js'
import type { ListStores } from '../../deps.js'
import { shownDid, shownHolder } from './holder-json.js'

/** One page of the holders that the caller created, the newest first. */
export async function ownHolders(ctx: ListContext<ListStores> & CallerContext, page: Page) {
  const rows = await paged(
    ctx,
    page,
    ({ holders }, part) => holders.createdBy(ctx.caller.sub, part),
    (row) => row,
  )
  return rows.map(shownHolder)
}

/** All DIDs of a holder, the newest first. */
export async function didsOf({ lists }: Pick<ListContext<ListStores>, 'lists'>, holderId: string) {
  return (await lists(({ dids }) => dids.ofHolder(holderId))).map(shownDid)
}
