import type { Config } from '../../config/config.js'
import { brandOf, nameOf } from '../../pages/brand.js'
import { whomToAsk } from '../../pages/contact.js'
import { html } from '../../pages/html.js'
import { page } from '../../pages/page.js'
import type { Speech } from '../../pages/speech.js'
import type { ProtocolReply } from '../../protocol/oauth/reply.js'
import { DECLINED_MESSAGE, EXPIRED_MESSAGE, isFinal } from '../../verifier/sessions/session.js'
import type { Beginner } from '../browser.js'
import { contactOf } from '../contact.js'
import type { PresentPage } from '../store.js'
import { progressOf } from './sentences.js'

/** The content of the page of an ended request. It has one sentence and does not show the result. */
export interface EndedRequest extends Pick<PresentPage, 'verifier'> {
  readonly title: string | null
  readonly message: string
  readonly status?: number
  /** The address at which the first browser of the page continues. Undefined if there is none. */
  readonly onward?: string | undefined
  /** Whether the person needs a new link, so that the page says whom to ask. */
  readonly needsLink?: boolean
  readonly speech: Speech
}

/** The settings that the page of an ended request shows. */
export type EndedPageConfig = Pick<Config, 'verifierBaseUrl' | 'serviceContact'>

/** The page of a request that has ended. */
export function endedPresentPage(
  config: EndedPageConfig,
  { verifier, title, message, status = 200, onward, needsLink = false, speech }: EndedRequest,
): ProtocolReply {
  const { verifierBaseUrl } = config
  const from = nameOf(verifier, verifierBaseUrl, speech)
  const heading = title ?? speech.say('present.heading')
  return page(verifierBaseUrl, {
    status,
    speech,
    brand: brandOf(verifier, verifierBaseUrl, speech),
    title: `${heading} · ${from}`,
    body: html`<p class="from">${from}</p><h1>${heading}</h1><p class="status" role="status">${message}</p>${needsLink && whomToAsk(contactOf(config, verifier), speech)}${
      onward !== undefined && html`<p><a class="button" href="${onward}">${speech.say('present.goOn')}</a></p>`
    }`,
  })
}

/**
 * Makes the page of an ended request.
 *
 * @param beginner which browser opened the page first. If no code is required, that browser can continue without a
 * code.
 */
export type EndedPage = (stored: PresentPage, beginner: Beginner, speech: Speech) => ProtocolReply

export const createEndedPage =
  (config: EndedPageConfig): EndedPage =>
  (stored, beginner, speech) => {
    const { pageTitle: title, verifier, redirectUri, requireResponseCode } = stored
    const isOver = !isFinal(stored.state) || stored.errorMessage === EXPIRED_MESSAGE
    if (isOver) {
      const { message } = progressOf({ state: 'Error', errorMessage: EXPIRED_MESSAGE }, beginner, speech)
      return endedPresentPage(config, { title, verifier, message, status: 410, needsLink: true, speech })
    }
    const { message } = progressOf(stored, beginner, speech)
    if (redirectUri === null || beginner !== 'this')
      return endedPresentPage(config, { title, verifier, message, needsLink: beginner !== 'this', speech })
    // Only the wallet has the response code, so this page cannot link to the next page.
    if (requireResponseCode && stored.errorMessage !== DECLINED_MESSAGE)
      return endedPresentPage(config, {
        title,
        verifier,
        message: `${message} ${speech.say('present.ledOn')}`,
        speech,
      })
    const onward = requireResponseCode ? undefined : redirectUri
    return endedPresentPage(config, { title, verifier, message, onward, speech })
  }
