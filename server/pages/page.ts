import type { ProtocolReply } from '../protocol/oauth/reply.js'
import { type Html, html } from './html.js'

export interface Page {
  readonly title: string
  readonly body: Html
  readonly status?: number
  /** Where a form of the page may lead. Browsers apply the same rule to a redirect after the form. */
  readonly formAction?: string
  /**
   * Whether the page updates while it is open. If so, the page loads the script of the pages, but also works without
   * the script.
   */
  readonly live?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

/** The policy of pages: no foreign content, no inline script, no framing by other pages. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'"

/** The policy of a page with a decision: no script at all, and forms that lead only to allowed addresses. */
const formPolicy = (formAction: string) =>
  `default-src 'none'; style-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self' ${formAction}`

/**
 * A page for people, as a reply: HTML that needs no script, and that no cache stores. Its icon is empty, so that
 * browsers request no icon.
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
      // Not no-referrer: browsers would then send the origin of a form as `null` (Fetch §3.2.5), which identifies no page.
      'referrer-policy': 'same-origin',
      ...headers,
    },
    body: document.text,
  }
}

/** A page with a message, for errors. */
export const messagePage = (baseUrl: string, status: number, title: string, message: string): ProtocolReply =>
  page(baseUrl, { status, title, body: html`<h1>${title}</h1><p>${message}</p>` })

/** The page for an unknown address. */
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
