import { type Context, onlyLooks } from '../../api/context.js'
import { receivePageUrl } from '../../pages/addresses.js'
import { onDemandPageId } from '../../pages/on-demand.js'
import { newPageOf } from '../credential-offers/page.js'
import type { OfferingRow } from './store.js'

/** A `sub` is never empty: the page on demand is nobody's. */
const NOBODY = ''

/** The page of an offering that is made on demand, where nobody was sent to one of their own. @returns its address */
export async function pageOfOffering(
  { deps, request }: Context,
  { id, expiresAt }: Pick<OfferingRow, 'id' | 'expiresAt'>,
): Promise<string> {
  const pageId = onDemandPageId(deps, 'receive', id)
  if (!onlyLooks(request)) {
    const page = newPageOf(deps, { id, expiresAt, deferred: false }, NOBODY)
    await deps.stores.pages.createOnDemand({ ...page, id: pageId })
  }
  return receivePageUrl(deps.config, pageId)
}
