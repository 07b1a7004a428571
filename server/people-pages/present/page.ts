import type { Config } from '../../config/config.js'
import { presentPageUrl } from '../../pages/addresses.js'
import { credentialCard } from '../../pages/credential-card.js'
import { type Html, html } from '../../pages/html.js'
import type { Languages } from '../../pages/languages.js'
import { page } from '../../pages/page.js'
import type { ProtocolReply } from '../../protocol/oauth/reply.js'
import { forWallet } from '../../protocol/openid4vp/request-object.js'
import type { DigitalCredentialRequestOf } from '../../verifier/openid4vp/digital-credentials.js'
import { digitalCredentialUriOf, wayOf } from '../../verifier/sessions/session.js'
import { openBody, scannedCodes, walletLink } from '../frame.js'
import { nameOf, type PresentPage } from '../store.js'
import { timeLeft } from '../time-left.js'
import { type Asked, type AskedCredential, type AskedHere, askedFor } from './asked.js'
import { FINAL_STATES, progressOf } from './sentences.js'

const HEADING = 'Show a credential'

/**
 * The text for a query that names no claims. Such a query does not request selectively disclosable claims (OpenID4VP
 * 1.0 §6.4.1).
 */
const extentOf = (whole: boolean) => ({ text: whole ? 'All of its claims' : 'Only the claims that it always shows' })

const credentialText = ({ name, claims, whole, background }: AskedCredential): Html =>
  credentialCard({
    name,
    text: claims.length === 0 ? extentOf(whole) : undefined,
    background,
    listed: 'You show',
    claims,
  })

function askedItem({ ways, required }: Asked): Html {
  const optional = !required && html` <span class="optional">(optional)</span>`
  const shown = ways.map((way, at) => html`${at > 0 && html`<p class="or">or</p>`}${way.map(credentialText)}`)
  return html`<li>${shown}${optional}</li>`
}

const askedList = (asked: readonly Asked[]): Html =>
  html`<h2>Requested credentials</h2><ul class="asked">${asked.map(askedItem)}</ul>`

const GO_ON_HERE = 'To continue in this browser afterwards, answer with a wallet on this device.'

/** Makes the link and the QR codes that open a wallet. */
async function walletWays(
  url: string,
  { address: uri, walletUrl, requireResponseCode, inQrCode }: PresentPage,
): Promise<Html> {
  const address = walletUrl === null ? uri : forWallet(uri, walletUrl)
  const hint = requireResponseCode ? { hint: GO_ON_HERE } : {}
  const codes = await scannedCodes({ address, url, byCamera: inQrCode, what: 'request', ...hint })
  return html`${walletLink(address)}${codes}`
}

const BUTTON_ELSEWHERE = 'This page was opened in another browser. Continue there.'
const NO_API =
  'This browser cannot ask a wallet. Open this page in a current browser on the device with your wallet, and allow scripts.'

/** Dependencies of {@link createOpenPresentPage}. */
export interface OpenPresentPagePorts {
  readonly formats: AskedHere['formats']
  readonly config: AskedHere['config'] & Pick<Config, 'verifierBaseUrl'>
  readonly clock: () => Date
  readonly digitalCredentialRequest: DigitalCredentialRequestOf
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
  languages: Languages,
  headers: Readonly<Record<string, string>>,
) => Promise<ProtocolReply>

export function createOpenPresentPage({
  formats,
  config,
  clock,
  digitalCredentialRequest,
}: OpenPresentPagePorts): OpenPresentPage {
  /**
   * The button of the Digital Credentials API. Only the first browser of the page gets the button. Otherwise the
   * service could not know that the answer comes from the person who opened the page first.
   */
  const browserWays = async (stored: PresentPage, isOwn: boolean): Promise<Html> => {
    if (!isOwn) return html`<section><p>${BUTTON_ELSEWHERE}</p></section>`
    const request = JSON.stringify(await digitalCredentialRequest(stored))
    const answer = digitalCredentialUriOf(config, stored.requestId)
    return html`<section><p data-without-api>${NO_API}</p><button type="button" class="primary" hidden data-request="${request}" data-answer="${answer}">Choose a credential</button></section>`
  }

  return async (id, stored, isOwn, languages, headers) => {
    const { verifierBaseUrl } = config
    const from = nameOf(stored.verifierDisplay, verifierBaseUrl)
    const heading = stored.pageTitle ?? HEADING
    return page(verifierBaseUrl, {
      title: `${heading} · ${from}`,
      live: true,
      headers,
      body: openBody({
        url: presentPageUrl(config, id),
        from,
        heading,
        text: stored.pageText,
        what: askedList(askedFor({ formats, config }, stored.dcqlQuery, stored.types, languages)),
        status: progressOf(stored, isOwn ? 'this' : 'another').message,
        timeLeft: timeLeft(stored.expiresAt, clock()),
        ways: await (wayOf(stored) === 'browser'
          ? browserWays(stored, isOwn)
          : walletWays(presentPageUrl(config, id), stored)),
        final: FINAL_STATES,
      }),
    })
  }
}

/** The content of the page of an ended request. It has one sentence and does not show the result. */
export interface EndedRequest extends Pick<PresentPage, 'verifierDisplay'> {
  readonly title: string | null
  readonly message: string
  readonly status?: number
  /** The address at which the first browser of the page continues. Undefined if there is none. */
  readonly onward?: string | undefined
}

/** The page of a request that has ended. */
export function endedPresentPage(
  { verifierBaseUrl }: Pick<Config, 'verifierBaseUrl'>,
  { verifierDisplay, title, message, status = 200, onward }: EndedRequest,
): ProtocolReply {
  const from = nameOf(verifierDisplay, verifierBaseUrl)
  const heading = title ?? HEADING
  return page(verifierBaseUrl, {
    status,
    title: `${heading} · ${from}`,
    body: html`<p class="from">${from}</p><h1>${heading}</h1><p class="status" role="status">${message}</p>${
      onward !== undefined && html`<p><a class="button" href="${onward}">Go on</a></p>`
    }`,
  })
}
