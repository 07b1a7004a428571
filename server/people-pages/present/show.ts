import type { Config } from '../../config/config.js'
import { noPage } from '../../pages/page.js'
import { speechFor } from '../../pages/speech.js'
import type { ProtocolReply } from '../../protocol/oauth/reply.js'
import { isFinal } from '../../verifier/sessions/session.js'
import { type BrowserRequest, beginnerOf, isPrefetch, later, openingBrowser } from '../browser.js'
import type { PageStore } from '../store.js'
import type { EndedPage } from './ended.js'
import type { OpenPresentPage } from './page.js'

/** Dependencies of {@link createShowPresentPage}. */
export interface ShowPresentPagePorts {
  readonly store: Pick<PageStore, 'present'>
  readonly config: Pick<Config, 'verifierBaseUrl' | 'serviceContact'>
  readonly clock: () => Date
  readonly random: (length: number) => Uint8Array
  readonly openPage: OpenPresentPage
  readonly endedPage: EndedPage
}

/**
 * Shows the page of a request. The page is bound to the first browser that opens it while the request is open. A cookie
 * identifies this browser when it opens the page again. All other browsers see the page too, but not the result.
 */
export type ShowPage = (request: BrowserRequest, id: string) => Promise<ProtocolReply>

export const createShowPresentPage =
  ({ store, config, clock, random, openPage, endedPage }: ShowPresentPagePorts): ShowPage =>
  async (request, id) => {
    const { verifierBaseUrl } = config
    const speech = speechFor(request, verifierBaseUrl)
    if (isPrefetch(request)) return later(verifierBaseUrl, speech)
    const now = clock()
    const browser = openingBrowser(request, verifierBaseUrl, random)
    const stored = await store.present(id, browser?.hash, now)
    if (stored === undefined) return noPage(verifierBaseUrl, speech, config.serviceContact)
    const beginner = stored.bound ? 'this' : beginnerOf(request, stored.browserHash, verifierBaseUrl)
    if (isFinal(stored.state) || stored.expiresAt <= now) return endedPage(stored, beginner, speech)
    const bound = stored.bound && browser !== undefined ? { 'set-cookie': browser.cookie } : {}
    return openPage(id, stored, beginner === 'this', speech, bound)
  }
