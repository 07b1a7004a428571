import type { Config } from '../../config/config.js'
import { languagesOf } from '../../pages/languages.js'
import { noPage } from '../../pages/page.js'
import type { ProtocolReply } from '../../protocol/oauth/reply.js'
import { EXPIRED_MESSAGE, isFinal } from '../../verifier/sessions/session.js'
import { type Beginner, type BrowserRequest, beginnerOf, isPrefetch, later, openingBrowser } from '../browser.js'
import type { PageStore, PresentPage } from '../store.js'
import { endedPresentPage, type OpenPresentPage } from './page.js'
import { progressOf } from './sentences.js'

/**
 * For a request that requires the response code. Only the wallet has the code, so this page cannot link to the next
 * page.
 */
const LED_ON = 'Continue on the page that your wallet opened.'

/**
 * @param beginner which browser opened the page first. If no code is required, that browser can continue without a
 * code.
 */
function endedPage(config: Pick<Config, 'verifierBaseUrl'>, stored: PresentPage, beginner: Beginner): ProtocolReply {
  const { pageTitle: title, verifierDisplay, redirectUri, requireResponseCode } = stored
  const isOver = !isFinal(stored.state) || stored.errorMessage === EXPIRED_MESSAGE
  if (isOver) {
    const { message } = progressOf({ state: 'Error', errorMessage: EXPIRED_MESSAGE }, beginner)
    return endedPresentPage(config, { title, verifierDisplay, message, status: 410 })
  }
  const { message } = progressOf(stored, beginner)
  if (redirectUri === null || beginner !== 'this') return endedPresentPage(config, { title, verifierDisplay, message })
  if (requireResponseCode) return endedPresentPage(config, { title, verifierDisplay, message: `${message} ${LED_ON}` })
  return endedPresentPage(config, { title, verifierDisplay, message, onward: redirectUri })
}

/** Dependencies of {@link createShowPresentPage}. */
export interface ShowPresentPagePorts {
  readonly store: Pick<PageStore, 'present'>
  readonly config: Pick<Config, 'verifierBaseUrl'>
  readonly clock: () => Date
  readonly random: (length: number) => Uint8Array
  readonly openPage: OpenPresentPage
}

/**
 * Shows the page of a request. The page is bound to the first browser that opens it while the request is open. A cookie
 * identifies this browser when it opens the page again. All other browsers see the page too, but not the result.
 */
export type ShowPage = (request: BrowserRequest, id: string) => Promise<ProtocolReply>

export const createShowPresentPage =
  ({ store, config, clock, random, openPage }: ShowPresentPagePorts): ShowPage =>
  async (request, id) => {
    const { verifierBaseUrl } = config
    if (isPrefetch(request)) return later(verifierBaseUrl)
    const now = clock()
    const browser = openingBrowser(request, verifierBaseUrl, random)
    const stored = await store.present(id, browser?.hash, now)
    if (stored === undefined) return noPage(verifierBaseUrl)
    const beginner = stored.bound ? 'this' : beginnerOf(request, stored.browserHash, verifierBaseUrl)
    if (isFinal(stored.state) || stored.expiresAt <= now) return endedPage(config, stored, beginner)
    const bound = stored.bound && browser !== undefined ? { 'set-cookie': browser.cookie } : {}
    return openPage(id, stored, beginner === 'this', languagesOf(request.headers['accept-language']), bound)
  }
