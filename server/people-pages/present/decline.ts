import type { Config } from '../../config/config.js'
import { presentPageUrl } from '../../pages/addresses.js'
import { messagePage, noPage, seeOther } from '../../pages/page.js'
import { speechFor } from '../../pages/speech.js'
import { withParameters } from '../../protocol/oauth/redirect-uri.js'
import type { ProtocolReply } from '../../protocol/oauth/reply.js'
import { responseCodeHash } from '../../verifier/sessions/result.js'
import type { VerificationSessions } from '../../verifier/sessions/verification-sessions.js'
import { type BrowserRequest, sameHash, sentBrowserHash } from '../browser.js'
import type { PageStore } from '../store.js'
import type { DeclineToken } from './decline-token.js'
import type { EndedPage } from './ended.js'

/** Dependencies of {@link createDecline}. */
export interface DeclinePorts {
  readonly store: Pick<PageStore, 'present'>
  readonly config: Pick<Config, 'verifierBaseUrl' | 'serviceContact'>
  readonly clock: () => Date
  readonly random: (length: number) => Uint8Array
  readonly tokenOf: DeclineToken
  readonly decline: VerificationSessions['decline']
  readonly endedPage: EndedPage
}

/**
 * Ends the session of a page whose holder declines. Everyone who sees the QR code knows the address, so only the first browser
 * of the page may decline. It continues as after an error of a wallet: with a fresh code (OpenID4VP 1.0 §8.2, §13.3).
 *
 * @param token the token of the page's form
 */
export type Decline = (request: BrowserRequest, id: string, token: string | undefined) => Promise<ProtocolReply>

export function createDecline({ store, config, clock, random, tokenOf, decline, endedPage }: DeclinePorts): Decline {
  const { verifierBaseUrl } = config

  return async (request, id, token) => {
    const speech = speechFor(request, verifierBaseUrl)
    const refused = () =>
      messagePage(verifierBaseUrl, speech, 403, speech.say('error.failed'), speech.say('present.notDeclined'))
    const browserHash = sentBrowserHash(request, verifierBaseUrl)
    const isOwnForm = browserHash !== undefined && sameHash(tokenOf(id, browserHash), token)
    if (browserHash !== undefined && isOwnForm) {
      const code = Buffer.from(random(32)).toString('base64url')
      const declined = await decline({ pageId: id, browserHash, responseCodeHash: responseCodeHash(code) })
      if (declined !== undefined) {
        const { redirectUri } = declined
        const next = redirectUri === null ? undefined : withParameters(redirectUri, { response_code: code })
        return seeOther(next ?? presentPageUrl(config, id))
      }
    }
    const stored = await store.present(id, undefined, clock())
    if (stored === undefined) return noPage(verifierBaseUrl, speech, config.serviceContact)
    if (!isOwnForm || !sameHash(stored.browserHash, browserHash)) return refused()
    const ended = endedPage(stored, 'this', speech)
    return ended.status === 200 ? { ...ended, status: 409 } : ended
  }
}
