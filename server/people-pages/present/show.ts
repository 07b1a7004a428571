import { type Context, onlyLooks } from '../../context.js'
import { languagesOf } from '../../pages/languages.js'
import { noPage } from '../../pages/no-page.js'
import { messagePage } from '../../pages/page.js'
import type { ProtocolReply } from '../../protocol/oauth/reply.js'
import { EXPIRED_MESSAGE, isFinal } from '../../verifier/sessions/session.js'
import type { PresentPage } from '../store.js'
import { isPrefetch, openingBrowser, opensPage, sameHash, sentBrowserHash } from './browser.js'
import { endedPresentPage, openPresentPage } from './page.js'
import { progressOf } from './sentences.js'

/** A browser that fetches ahead gets nothing, so that it asks again when a person opens the page: that is what counts. */
const later = (baseUrl: string): ProtocolReply =>
  messagePage(baseUrl, 503, 'Not now', 'This page is shown when somebody opens it.')

/** Where the code is needed, which the wallet alone was given. */
const LED_ON = 'Go on where your wallet has taken you.'

/** @param isOwn whether this browser opened the page first: where no code is needed, it can go on without one */
function endedPage({ deps }: Context, stored: PresentPage, isOwn: boolean): ProtocolReply {
  const { pageTitle: title, verifierDisplay, redirectUri, requireResponseCode } = stored
  const isOver = !isFinal(stored.state) || stored.errorMessage === EXPIRED_MESSAGE
  if (isOver) {
    const { message } = progressOf({ state: 'Error', errorMessage: EXPIRED_MESSAGE })
    return endedPresentPage(deps, { title, verifierDisplay, message, status: 410 })
  }
  const { message } = progressOf(stored)
  if (redirectUri === null) return endedPresentPage(deps, { title, verifierDisplay, message })
  if (requireResponseCode) return endedPresentPage(deps, { title, verifierDisplay, message: `${message} ${LED_ON}` })
  return endedPresentPage(deps, { title, verifierDisplay, message, onward: isOwn ? redirectUri : undefined })
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
  return openPresentPage(deps, id, stored, isOwn, languagesOf(ctx.request.headers['accept-language']), bound)
}
