import { createHash } from 'node:crypto'
import type { ProtocolReply } from '../protocol/oauth/reply.js'
import type { Brand } from './brand.js'
import { type Contact, whomToAsk } from './contact.js'
import { Html, html, spoken } from './html.js'
import { DEFAULT_LOCALE } from './languages.js'
import type { Speech } from './speech.js'
import { PAGE_LANGUAGES } from './texts/languages.js'

export interface Page {
  readonly title: string
  readonly body: Html
  readonly status?: number
  /**
   * Addresses to which a form of the page may be sent. Browsers also apply this rule to a redirect that follows the
   * form.
   */
  readonly formAction?: string | undefined
  /**
   * Whether the page is updated while it is open. Such a page loads the script of the pages, but also works without the
   * script.
   */
  readonly live?: boolean | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** The language of the page. A page without it offers no other language. */
  readonly speech?: Speech
  /** BCP 47 tag of a page without `speech`. Default: English. */
  readonly lang?: string
  /** The issuer or verifier behind the page. */
  readonly brand?: Brand | undefined
  /** A style that the page contains in addition to the style sheet. It must contain no text of other parties. */
  readonly style?: string | undefined
}

/** The links that show the page in another language. They work without script. */
function languageSwitch(baseUrl: string, speech: Speech): Html {
  const links = [...PAGE_LANGUAGES].map(([lang, { name }]) =>
    lang === speech.lang
      ? html`<li><strong lang="${lang}">${name}</strong></li>`
      : html`<li><a href="${baseUrl}/pages/language?to=${lang}" lang="${lang}" hreflang="${lang}" rel="nofollow">${name}</a></li>`,
  )
  return html`<details class="languages"><summary>${speech.say('language')}</summary><ul>${links}</ul></details>`
}

/**
 * The Content-Security-Policy of pages: no foreign content, no inline script, and no foreign page may show the page in
 * a frame.
 */
const policy = (styles: string) =>
  `default-src 'none'; script-src 'self'; style-src ${styles}; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'`

/** Where forms lead. `base-uri` cannot change their addresses. */
const formsTo = (formAction: string) => `base-uri 'none'; form-action 'self' ${formAction}`.trimEnd()

/** The Content-Security-Policy of a page on which a person decides: no script, and forms only to allowed addresses. */
const formPolicy = (styles: string, formAction: string) =>
  `default-src 'none'; style-src ${styles}; img-src 'self' data:; frame-ancestors 'none'; ${formsTo(formAction)}`

/** The sources of styles: the style sheet of the pages, and the one style that the page itself contains, by its hash (CSP Level 3 §2.3.1). */
const stylesOf = (style: string): string =>
  style === '' ? "'self'" : `'self' 'sha256-${createHash('sha256').update(style).digest('base64')}'`

function policyOf({ formAction, live = false }: Pick<Page, 'formAction' | 'live'>, style: string): string {
  const styles = stylesOf(style)
  if (formAction === undefined) return policy(styles)
  return live ? `${policy(styles)}; ${formsTo(formAction)}` : formPolicy(styles, formAction)
}

/**
 * Makes a page for people. The HTML works without scripts, and caches must not store it. The icon is an empty data URI,
 * so that browsers do not request an icon.
 *
 * @param baseUrl the base URL of the page's own address: the page loads its files from the same origin
 */
export function page(
  baseUrl: string,
  { title, body, status = 200, formAction, live, headers, speech, lang, brand, style }: Page,
): ProtocolReply {
  const footer = [brand?.links, speech !== undefined && languageSwitch(baseUrl, speech)]
  const hasFooter = speech !== undefined || brand?.links !== undefined
  const ownStyle = `${brand?.style ?? ''}${style ?? ''}`
  const document = html`<!doctype html>
<html lang="${speech?.lang ?? lang ?? DEFAULT_LOCALE}" dir="${speech?.dir ?? 'ltr'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="same-origin">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${baseUrl}/pages/style.css">
${ownStyle !== '' && new Html(`<style>${ownStyle}</style>\n`)}${live === true && html`<script src="${baseUrl}/pages/live.js" type="module"></script>`}
</head>
<body>${brand?.mark}<main>${body}</main>${hasFooter && html`<footer>${footer}</footer>`}</body>
</html>
`
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': policyOf({ formAction, live }, ownStyle),
      // `same-origin`, because with `no-referrer` browsers send the Origin of a form as `null` (Fetch §3.2.5), which
      // identifies no page.
      'referrer-policy': 'same-origin',
      ...headers,
    },
    body: document.text,
  }
}

/** Makes a page with a message, for errors. @param contact the contact of people who need a new link */
export const messagePage = (
  baseUrl: string,
  speech: Speech,
  status: number,
  title: string,
  message: string | Html,
  contact?: Contact,
): ProtocolReply =>
  page(baseUrl, {
    status,
    title,
    speech,
    body: html`<h1>${title}</h1><p>${message}</p>${whomToAsk(contact, speech)}`,
  })

/** A sentence that exists in English alone, such as the reason of a refusal in the API. */
export const inEnglish = (sentence: string): Html => spoken({ text: sentence, lang: DEFAULT_LOCALE })

/** Makes the page for an unknown address. No record is known, so only the contact of the service (SERVICE_CONTACT) can be shown. */
export const noPage = (baseUrl: string, speech: Speech, serviceContact: Contact | undefined): ProtocolReply =>
  messagePage(baseUrl, speech, 404, speech.say('error.nothingHere'), speech.say('error.noPage'), serviceContact)

/** Redirects the browser with GET, after a request of any method (RFC 9110 §15.4.4). */
export const seeOther = (location: string, headers: Readonly<Record<string, string>> = {}): ProtocolReply => ({
  status: 303,
  headers: { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', ...headers },
})
