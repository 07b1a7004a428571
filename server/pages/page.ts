import type { ProtocolReply } from '../protocol/oauth/reply.js'
import { type Html, html } from './html.js'

export interface Page {
  readonly title: string
  readonly body: Html
  readonly status?: number
  /**
   * Addresses to which a form of the page may be sent. Browsers also apply this rule to a redirect that follows the
   * form.
   */
  readonly formAction?: string
  /**
   * Whether the page is updated while it is open. Such a page loads the script of the pages, but also works without the
   * script.
   */
  readonly live?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * The Content-Security-Policy of pages: no foreign content, no inline script, and no foreign page may show the page in
 * a frame.
 */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'"

/** The Content-Security-Policy of a page on which a person decides: no script, and forms only to allowed addresses. */
const formPolicy = (formAction: string) =>
  `default-src 'none'; style-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self' ${formAction}`

/**
 * Makes a page for people. The HTML works without scripts, and caches must not store it. The icon is an empty data URI,
 * so that browsers do not request an icon.
 *
 * @param baseUrl the base URL of the page's own address: the page loads its files from the same origin
 */
export function page(baseUrl: string, { title, body, status = 200, formAction, live, headers }: Page): ProtocolReply {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="same-origin">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${baseUrl}/pages/style.css">
${live === true && html`<script src="${baseUrl}/pages/live.js" type="module"></script>`}
</head>
<body><main>${body}</main></body>
</html>
`
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': formAction === undefined ? POLICY : formPolicy(formAction),
      // `same-origin`, because with `no-referrer` browsers send the Origin of a form as `null` (Fetch §3.2.5), which
      // identifies no page.
      'referrer-policy': 'same-origin',
      ...headers,
    },
    body: document.text,
  }
}

/** Makes a page with a message, for errors. */
export const messagePage = (baseUrl: string, status: number, title: string, message: string): ProtocolReply =>
  page(baseUrl, { status, title, body: html`<h1>${title}</h1><p>${message}</p>` })

/** Makes the page for an unknown address. */
export const noPage = (baseUrl: string): ProtocolReply =>
  messagePage(
    baseUrl,
    404,
    'There is nothing here',
    'This page does not exist, or it has expired. Ask the sender for a new link.',
  )

/** Redirects the browser with GET, after a request of any method (RFC 9110 §15.4.4). */
export const seeOther = (location: string, headers: Readonly<Record<string, string>> = {}): ProtocolReply => ({
  status: 303,
  headers: { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', ...headers },
})
