import type { RequestFacts } from '../api/context.js'
import { errors } from '../api/errors.js'
import type { Config } from '../config/config.js'
import type { ProtocolReply } from '../protocol/oauth/reply.js'
import { seeOther } from './page.js'
import { languageCookie } from './speech.js'

/** Dependencies of {@link createChooseLanguage}. */
export interface ChooseLanguagePorts {
  readonly config: Pick<Config, 'issuerBaseUrl' | 'verifierBaseUrl'>
}

/**
 * Stores the language that a reader chose on a page, and leads back to this page. The page is the `Referer` of the
 * request. An address outside this service is never redirected to.
 *
 * @throws 400 for a language that the pages do not speak
 */
export type ChooseLanguage = (request: Pick<RequestFacts, 'headers'>, to: string) => ProtocolReply

export const createChooseLanguage =
  ({ config: { issuerBaseUrl, verifierBaseUrl } }: ChooseLanguagePorts): ChooseLanguage =>
  ({ headers }, to) => {
    const { referer } = headers
    const from = referer !== undefined && URL.canParse(referer) ? new URL(referer) : undefined
    const baseUrl = [issuerBaseUrl, verifierBaseUrl].find((base) => new URL(base).origin === from?.origin)
    const cookie = languageCookie(to, baseUrl ?? issuerBaseUrl)
    if (cookie === undefined) throw errors.badRequest('to must be a language of the pages')
    const back = baseUrl === undefined || from === undefined ? `${issuerBaseUrl}/` : from.href
    return seeOther(back, { 'set-cookie': cookie })
  }
