import type { Context } from '../../api/context.js'
import { languagesOf } from '../../pages/languages.js'
import { noPage } from '../../pages/no-page.js'
import type { ProtocolReply } from '../../protocol/oauth/reply.js'
import { beginnerOf, isPrefetch, later, openingBrowser } from '../browser.js'
import { receivePage } from './page.js'

/**
 * The page of an offer or an offering. The first browser that opens the page of an offer while it can be taken is the one that
 * began: it alone is told how that goes. Others see the offer, and then that it has ended.
 */
export async function showReceivePage(ctx: Context, id: string): Promise<ProtocolReply> {
  const { deps, request } = ctx
  const { issuerBaseUrl } = deps.config
  if (isPrefetch(ctx)) return later(issuerBaseUrl)
  const browser = openingBrowser(ctx, issuerBaseUrl)
  const stored = await deps.stores.pages.receive(id, browser?.hash, deps.clock())
  if (stored === undefined) return noPage(issuerBaseUrl)
  const beginner = stored.bound ? 'this' : beginnerOf(ctx, stored.browserHash, issuerBaseUrl)
  const headers = beginner === 'this' && browser !== undefined ? { 'set-cookie': browser.cookie } : {}
  return receivePage(deps, id, stored, {
    beginner,
    languages: languagesOf(request.headers['accept-language']),
    headers,
  })
}
