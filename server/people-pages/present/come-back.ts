import type { Config } from '../../config/config.js'
import { noPage, seeOther } from '../../pages/page.js'
import { withParameters } from '../../protocol/oauth/redirect-uri.js'
import type { ProtocolReply } from '../../protocol/oauth/reply.js'
import { responseCodeHash } from '../../verifier/sessions/result.js'
import { type BrowserRequest, sameHash, sentBrowserHash } from '../browser.js'
import type { PageStore } from '../store.js'
import { endedPresentPage } from './page.js'
import { ANOTHER_BROWSER, progressOf } from './sentences.js'

const GO_ON_THERE = 'Go on in the browser in which you opened the page.'
/** Where the code is needed, which the wallet has brought to the wrong browser, the other one cannot go on. */
const BEGIN_AGAIN = 'Begin again, and answer with a wallet on the device on which you open the page.'

/** What {@link createComeBack} is made of. */
export interface ComeBackPorts {
  readonly store: Pick<PageStore, 'returned'>
  readonly config: Pick<Config, 'verifierBaseUrl'>
}

/**
 * Where a wallet sends the browser that it was opened from (OpenID4VP 1.0 §13.3, §14.2). Only the browser that began goes on, and
 * only with the code that this wallet was given. The page checks the code; the reader of the result uses it up.
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
    const { title, verifierDisplay, redirectUri, requireResponseCode } = stored
    if (fits.includes(false)) {
      const message = `${ANOTHER_BROWSER} ${requireResponseCode ? BEGIN_AGAIN : GO_ON_THERE}`
      return endedPresentPage(config, { title, verifierDisplay, message, status: 403 })
    }
    if (redirectUri !== null) return seeOther(withParameters(redirectUri, { response_code: code }))
    return endedPresentPage(config, { title, verifierDisplay, message: progressOf(stored, 'this').message })
  }
