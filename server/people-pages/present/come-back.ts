import { noPage, seeOther } from '../../pages/page.js'
import { speechFor } from '../../pages/speech.js'
import { withParameters } from '../../protocol/oauth/redirect-uri.js'
import type { ProtocolReply } from '../../protocol/oauth/reply.js'
import { responseCodeHash } from '../../verifier/sessions/result.js'
import { type BrowserRequest, sameHash, sentBrowserHash } from '../browser.js'
import type { PageStore } from '../store.js'
import { type EndedPageConfig, endedPresentPage } from './ended.js'
import { progressOf } from './sentences.js'

/** Dependencies of {@link createComeBack}. */
export interface ComeBackPorts {
  readonly store: Pick<PageStore, 'returned'>
  readonly config: EndedPageConfig
}

/**
 * Answers at the address to which a wallet sends the browser that opened the wallet (OpenID4VP 1.0 §13.3, §14.2). Only
 * the first browser of the page continues, and only with the code that this wallet received. The page only checks the
 * code. The code becomes invalid when the result is read with it.
 */
export type ComeBack = (request: BrowserRequest, id: string, responseCode: string | undefined) => Promise<ProtocolReply>

export const createComeBack =
  ({ store, config }: ComeBackPorts): ComeBack =>
  async (request, id, responseCode) => {
    const speech = speechFor(request, config.verifierBaseUrl)
    const stored = await store.returned(id)
    if (stored === undefined) return noPage(config.verifierBaseUrl, speech, config.serviceContact)
    const code = responseCode ?? ''
    const fits = [
      sameHash(stored.browserHash, sentBrowserHash(request, config.verifierBaseUrl)),
      sameHash(stored.responseCodeHash, responseCodeHash(code)),
    ]
    const { pageTitle: title, verifier, redirectUri, requireResponseCode } = stored
    if (fits.includes(false)) {
      // If a response code is required, the wallet sent it to a browser that is not the first browser of the page. So the
      // first browser has no code and cannot continue.
      const next = speech.say(requireResponseCode ? 'present.beginAgain' : 'present.goOnThere')
      const message = `${speech.say('present.anotherBrowser')} ${next}`
      return endedPresentPage(config, { title, verifier, message, status: 403, speech })
    }
    if (redirectUri !== null) return seeOther(withParameters(redirectUri, { response_code: code }))
    return endedPresentPage(config, {
      title,
      verifier,
      message: progressOf(stored, 'this', speech).message,
      speech,
    })
  }
