import type { SessionEvent } from '../../events/store.js'
import type { Events } from '../../events/stream.js'
import type { CredentialOfferSessionView } from '../../issuer/openid4vci/sessions/session.js'
import { noPage } from '../../pages/page.js'
import { speechFor } from '../../pages/speech.js'
import type { ProtocolReply } from '../../protocol/oauth/reply.js'
import { type BrowserRequest, beginnerOf, isPrefetch, later, openingBrowser } from '../browser.js'
import type { PageStore } from '../store.js'
import { createWatchPage } from '../watch.js'
import { createReceivePage, type ReceivePagePorts } from './page.js'
import { DONE_STATES, type Progress, progressOf } from './sentences.js'

/** Dependencies of {@link createReceivePages}. */
export interface ReceivePagesPorts {
  readonly store: Pick<PageStore, 'receive' | 'receiveTarget'>
  readonly config: ReceivePagePorts['config']
  readonly clock: () => Date
  readonly random: (length: number) => Uint8Array
  readonly events: Pick<Events, 'stream'>
  readonly offerUrl: ReceivePagePorts['offerUrl']
  /** The current session of a credential offer, with its newest event; undefined for an unknown session. */
  readonly latest: (sessionId: string) => Promise<SessionEvent | undefined>
}

export type ReceivePages = ReturnType<typeof createReceivePages>

/** Share pages of offers and offerings. */
export function createReceivePages({ store, config, clock, random, events, latest, offerUrl }: ReceivePagesPorts) {
  const receivePage = createReceivePage({ config, offerUrl })
  return {
    /**
     * Shows the page of an offer or an offering. The page of an offer is bound to the first browser that opens it while
     * the offer can still be taken. Only this browser sees the progress. All other browsers see the offer, and later
     * that the offer has ended.
     */
    async show(request: BrowserRequest, id: string): Promise<ProtocolReply> {
      const { issuerBaseUrl } = config
      const speech = speechFor(request, issuerBaseUrl)
      if (isPrefetch(request)) return later(issuerBaseUrl, speech)
      const browser = openingBrowser(request, issuerBaseUrl, random)
      const now = clock()
      const stored = await store.receive(id, browser?.hash, now)
      if (stored === undefined) return noPage(issuerBaseUrl, speech, config.serviceContact)
      const beginner = stored.bound ? 'this' : beginnerOf(request, stored.browserHash, issuerBaseUrl)
      const headers = beginner === 'this' && browser !== undefined ? { 'set-cookie': browser.cookie } : {}
      return receivePage(id, stored, { beginner, speech, headers }, now)
    },

    watch: createWatchPage<CredentialOfferSessionView, Progress['state']>(
      { events, clock },
      {
        target: store.receiveTarget,
        latest,
        progress: progressOf,
        baseUrl: () => config.issuerBaseUrl,
        isFinal: (state) => DONE_STATES.includes(state),
      },
    ),
  }
}
