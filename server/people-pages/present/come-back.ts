import type { Config } from '../../config/config.js'
import { noPage, seeOther } from '../../pages/page.js'
import { withParameters } from '../../protocol/oauth/redirect-uri.js'
import type { ProtocolReply } from '../../protocol/oauth/reply.js'
import { responseCodeHash } from '../../verifier/sessions/result.js'
import { type BrowserRequest, sameHash, sentBrowserHash } from '../browser.js'
import type { PageStore } from '../store.js'
import { endedPresentPage } from './page.js'
import { ANOTHER_BROWSER, progressOf } from './sentences.js'

const GO_ON_THERE = 'Continue in the browser in which you opened the page.'
/**
 * For a request that requires the response code. The wallet sent the code to a browser that is not the first browser of
 * the page, so the first browser has no code and cannot continue.
 */
const BEGIN_AGAIN = 'Start again: open the page on the device with your wallet.'

/** Dependencies of {@link createComeBack}. */
export interface ComeBackPorts {
  readonly store: Pick<PageStore, 'returned'>
  readonly config: Pick<Config, 'verifierBaseUrl'>
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
    const stored = await store.returned(id)
    if (stored === undefined) return noPage(config.verifierBaseUrl)
    const code = responseCode ?? ''
    const fits = [
      sameHash(stored.browserHash, sentBrowserHash(request, config.verifierBaseUrl)),
      sameHash(stored.responseCodeHash, responseCodeHash(code)),
    ]
    const { pageTitle: title, verifierDisplay, redirectUri, requireResponseCode } = stored
    if (fits.includes(false)) {
      const message = `${ANOTHER_BROWSER} ${requireResponseCode ? BEGIN_AGAIN : GO_ON_THERE}`
      return endedPresentPage(config, { title, verifierDisplay, message, status: 403 })
    }
    if (redirectUri !== null) return seeOther(withParameters(redirectUri, { response_code: code }))
    return endedPresentPage(config, { title, verifierDisplay, message: progressOf(stored, 'this').message })
  }
