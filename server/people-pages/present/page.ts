import type { Config } from '../../config/config.js'
import { presentPageUrl } from '../../pages/addresses.js'
import { brandOf, nameOf } from '../../pages/brand.js'
import { cardStyle, credentialCard } from '../../pages/credential-card.js'
import { formActionOf } from '../../pages/form-action.js'
import { type Html, html } from '../../pages/html.js'
import { page } from '../../pages/page.js'
import type { Speech } from '../../pages/speech.js'
import type { ProtocolReply } from '../../protocol/oauth/reply.js'
import { forWallet } from '../../protocol/openid4vp/request-object.js'
import type { Openid4vp } from '../../verifier/openid4vp/openid4vp.js'
import { digitalCredentialUriOf, wayOf } from '../../verifier/sessions/session.js'
import { openBody, scannedCodes, walletLink } from '../frame.js'
import { type KeptAnswerConfig, keptOfAnswer } from '../kept.js'
import type { PresentPage } from '../store.js'
import { timeLeft } from '../time-left.js'
import { walletsToInstall } from '../wallets.js'
import { type Asked, type AskedCredential, type AskedHere, askedFor } from './asked.js'
import type { DeclineToken } from './decline-token.js'
import { FINAL_STATES, progressOf } from './sentences.js'
import { transactionsOf } from './transactions.js'

/**
 * The text for a query that names no claims. Such a query does not request selectively disclosable claims (OpenID4VP
 * 1.0 §6.4.1).
 */
const extentOf = (whole: boolean, speech: Speech) => ({
  text: speech.say(whole ? 'present.allClaims' : 'present.onlyFixed'),
})

const credentialText = ({ name, claims, whole, look }: AskedCredential, speech: Speech): Html =>
  credentialCard(
    {
      name,
      text: claims.length === 0 ? extentOf(whole, speech) : undefined,
      look,
      listed: speech.say('present.youShow'),
      claims,
    },
    speech,
  )

function askedItem({ ways, required }: Asked, speech: Speech): Html {
  const optional = !required && html` <span class="optional">(${speech.say('present.optional')})</span>`
  const shown = ways.map(
    (way, at) =>
      html`${at > 0 && html`<p class="or">${speech.say('present.or')}</p>`}${way.map((each) => credentialText(each, speech))}`,
  )
  return html`<li>${shown}${optional}</li>`
}

const askedList = (asked: readonly Asked[], speech: Speech): Html =>
  html`<h2>${speech.say('present.requested')}</h2><ul class="asked">${asked.map((each) => askedItem(each, speech))}</ul>`

/** Makes the link and the QR codes that open a wallet. */
async function walletWays(
  url: string,
  { address: uri, walletUrl, requireResponseCode, inQrCode }: PresentPage,
  speech: Speech,
): Promise<Html> {
  const address = walletUrl === null ? uri : forWallet(uri, walletUrl)
  const hint = requireResponseCode ? { hint: speech.say('present.goOnHere') } : {}
  const codes = await scannedCodes({ address, url, byCamera: inQrCode, what: 'request', ...hint }, speech)
  return html`${walletLink(address, speech)}${codes}`
}

/** Dependencies of {@link createOpenPresentPage}. */
export interface OpenPresentPagePorts {
  readonly formats: AskedHere['formats']
  readonly config: AskedHere['config'] & KeptAnswerConfig & Pick<Config, 'verifierBaseUrl' | 'walletLinks'>
  readonly clock: () => Date
  readonly openid4vp: Pick<Openid4vp, 'digitalCredentialRequest' | 'transactionData'>
  /** The token of the form with which a person declines. */
  readonly tokenOf: DeclineToken
}

/**
 * Makes the page of an open request.
 *
 * @param isOwn whether this is the first browser that opened the page
 */
export type OpenPresentPage = (
  id: string,
  stored: PresentPage,
  isOwn: boolean,
  speech: Speech,
  headers: Readonly<Record<string, string>>,
) => Promise<ProtocolReply>

export function createOpenPresentPage({
  formats,
  config,
  clock,
  openid4vp,
  tokenOf,
}: OpenPresentPagePorts): OpenPresentPage {
  /**
   * The button of the Digital Credentials API. Only the first browser of the page gets the button. Otherwise the
   * service could not know that the answer comes from the person who opened the page first.
   */
  const browserWays = async (stored: PresentPage, isOwn: boolean, speech: Speech): Promise<Html> => {
    if (!isOwn) return html`<section><p>${speech.say('present.openedElsewhere')}</p></section>`
    const request = JSON.stringify(await openid4vp.digitalCredentialRequest(stored))
    const answer = digitalCredentialUriOf(config, stored.requestId)
    return html`<section><p data-without-api>${speech.say('present.noApi')}</p><button type="button" class="primary" hidden data-request="${request}" data-answer="${answer}" data-unusable="${speech.say('present.unusableAnswer')}" data-unanswered="${speech.say('present.noAnswer')}">${speech.say('present.choose')}</button></section>`
  }

  /**
   * The form with which a person declines, with or without a wallet. Only the first browser of the page gets the form: a
   * stranger who has seen the QR code must not end the request.
   */
  const declineForm = (id: string, { browserHash }: PresentPage, isOwn: boolean, speech: Speech): Html | undefined => {
    if (!isOwn || browserHash === null) return undefined
    return html`<form class="decline" method="post" action="${presentPageUrl(config, id)}/decline"><input type="hidden" name="token" value="${tokenOf(id, browserHash)}"><p class="hint">${speech.say('present.declineHint')}</p><button>${speech.say('consent.decline')}</button></form>`
  }

  return async (id, stored, isOwn, speech, headers) => {
    const { verifierBaseUrl } = config
    const from = nameOf(stored.verifier, verifierBaseUrl, speech)
    const heading = stored.pageTitle ?? speech.say('present.heading')
    const url = presentPageUrl(config, id)
    const transactions = transactionsOf(await openid4vp.transactionData(stored), speech)
    const here = { formats, config, imagesUrl: verifierBaseUrl }
    const asked = askedFor(here, stored.dcqlQuery, stored.types, speech)
    const byBrowser = wayOf(stored) === 'browser'
    const ways = await (byBrowser ? browserWays(stored, isOwn, speech) : walletWays(url, stored, speech))
    return page(verifierBaseUrl, {
      title: `${heading} · ${from}`,
      live: true,
      formAction: stored.redirectUri === null ? '' : formActionOf(stored.redirectUri),
      headers,
      speech,
      brand: brandOf(stored.verifier, verifierBaseUrl, speech),
      style: cardStyle(asked.flatMap((each) => each.ways.flat().map(({ look }) => look))),
      body: openBody(
        {
          url,
          from,
          heading,
          text: stored.pageText,
          purpose: stored.purpose,
          what: html`${transactions}${askedList(asked, speech)}${keptOfAnswer(stored, config, from, speech)}`,
          status: progressOf(stored, isOwn ? 'this' : 'another', speech).message,
          timeLeft: timeLeft(stored.expiresAt, clock(), speech),
          ways: html`${ways}${walletsToInstall(config.walletLinks, verifierBaseUrl, speech)}${declineForm(id, stored, isOwn, speech)}`,
          final: FINAL_STATES,
        },
        speech,
      ),
    })
  }
}
