import type { Context } from '../../api/context.js'
import { languagesOf } from '../../pages/languages.js'
import { noPage } from '../../pages/no-page.js'
import type { ProtocolReply } from '../../protocol/oauth/reply.js'
import { EXPIRED_MESSAGE, isFinal } from '../../verifier/sessions/session.js'
import { type Beginner, beginnerOf, isPrefetch, later, openingBrowser } from '../browser.js'
import type { PresentPage } from '../store.js'
import { endedPresentPage, openPresentPage } from './page.js'
import { progressOf } from './sentences.js'

/** Where the code is needed, which the wallet alone was given. */
const LED_ON = 'Go on where your wallet has taken you.'

/** @param beginner which browser opened the page first: where no code is needed, it can go on without one */
function endedPage({ deps }: Context, stored: PresentPage, beginner: Beginner): ProtocolReply {
  const { pageTitle: title, verifierDisplay, redirectUri, requireResponseCode } = stored
  const isOver = !isFinal(stored.state) || stored.errorMessage === EXPIRED_MESSAGE
  if (isOver) {
    const { message } = progressOf({ state: 'Error', errorMessage: EXPIRED_MESSAGE }, beginner)
    return endedPresentPage(deps, { title, verifierDisplay, message, status: 410 })
  }
  const { message } = progressOf(stored, beginner)
  if (redirectUri === null || beginner === 'another') return endedPresentPage(deps, { title, verifierDisplay, message })
  if (requireResponseCode) return endedPresentPage(deps, { title, verifierDisplay, message: `${message} ${LED_ON}` })
  return endedPresentPage(deps, {
    title,
    verifierDisplay,
    message,
    onward: beginner === 'this' ? redirectUri : undefined,
  })
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
  const browser = openingBrowser(ctx, verifierBaseUrl)
  const stored = await deps.stores.pages.present(id, browser?.hash, now)
  if (stored === undefined) return noPage(verifierBaseUrl)
  const beginner = stored.bound ? 'this' : beginnerOf(ctx, stored.browserHash, verifierBaseUrl)
  if (isFinal(stored.state) || stored.expiresAt <= now) return endedPage(ctx, stored, beginner)
  const bound = stored.bound && browser !== undefined ? { 'set-cookie': browser.cookie } : {}
  return openPresentPage(
    deps,
    id,
    stored,
    beginner === 'this',
    languagesOf(ctx.request.headers['accept-language']),
    bound,
  )
}
