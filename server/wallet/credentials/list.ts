import type { ListContext } from '../../api/context.js'
import { type Page, paged } from '../../api/paging.js'
import type { ListStores } from '../../deps.js'
import { shownCredential } from './credential-json.js'
import { openCredential } from './held.js'
import { statusesOf } from './statuses.js'

/** One page of a holder's credentials with their statuses as they are now, the newest first. */
export async function heldCredentials(ctx: ListContext<ListStores>, page: Page & { readonly holderId: string }) {
  const { deps } = ctx
  const rows = await paged(
    ctx,
    page,
    ({ walletCredentials }, part) => walletCredentials.list(page.holderId, part),
    (row) => row,
  )
  const held = await Promise.all(rows.map((row) => openCredential(deps, row)))
  const statuses = await statusesOf(deps, held)
  return held.map((credential, index) => shownCredential(credential, statuses[index] ?? 'unknown'))
}
