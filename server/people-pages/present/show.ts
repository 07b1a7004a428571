import { type Context, onlyLooks } from '../../context.js'
import { messagePage } from '../../pages/page.js'
import type { ProtocolReply } from '../../protocol/oauth/reply.js'
import { EXPIRED_MESSAGE, isFinal } from '../../verifier/sessions/session.js'
import { noPage } from '../no-page.js'
import type { PresentPage } from '../store.js'
import { isPrefetch, openingBrowser, opensPage, sameHash, sentBrowserHash } from './browser.js'
import { endedPresentPage, openPresentPage } from './page.js'
import { progressOf } from './sentences.js'

/** A browser that fetches ahead gets nothing, so that it asks again when a person opens the page: that is what counts. */
const later = (baseUrl: string): ProtocolReply =>
  messagePage(baseUrl, 503, 'Not now', 'This page is shown when somebody opens it.')

/** @param isOwn whether this browser opened the page first: where no code is needed, it can go on without one */
function endedPage({ deps }: Context, stored: PresentPage, isOwn: boolean): ProtocolReply {
  const { pageTitle: title, redirectUri, requireResponseCode } = stored
  const { message } = progressOf({ state: 'Error', errorMessage: EXPIRED_MESSAGE })
  if (!isFinal(stored.state)) return endedPresentPage(deps, { title, message, status: 410 })
  const onward = isOwn && !requireResponseCode && redirectUri !== null ? redirectUri : undefined
  const status = stored.errorMessage === EXPIRED_MESSAGE ? 410 : 200
  return endedPresentPage(deps, { title, message: progressOf(stored).message, status, onward })
}

/**
 * The page of a request. The first browser that opens it while the request is open is the one that began: the cookie that it gets
 * tells it when it comes back. Others see the page too.
 */
export async function showPresentPage(ctx: Context, id: string): Promise<ProtocolReply> {
  const { deps } = ctx
  const { verifierBaseUrl } = deps.config
  if (isPrefetch(ctx)) return later(verifierBaseUrl)
  const now = deps.clock()
  const browser = opensPage(ctx) && !onlyLooks(ctx.request) ? openingBrowser(ctx) : undefined
  const stored = await deps.stores.pages.present(id, browser?.hash, now)
  if (stored === undefined) return noPage(verifierBaseUrl)
  const isOwn = stored.bound || sameHash(stored.browserHash, sentBrowserHash(ctx))
  if (isFinal(stored.state) || stored.expiresAt <= now) return endedPage(ctx, stored, isOwn)
  const bound = stored.bound && browser !== undefined ? { 'set-cookie': browser.cookie } : {}
  return openPresentPage(deps, id, stored, isOwn, bound)
}
