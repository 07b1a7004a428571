import type { ProtocolReply } from '../protocol/oauth/reply.js'
import { type Html, html } from './html.js'

export interface Page {
  readonly title: string
  readonly body: Html
  readonly status?: number
  /** Where a form of the page may lead: browsers hold the redirect that follows it to the same rule. */
  readonly formAction?: string
  /** Whether the page tells what happens while it is open: it then has the one script of the pages, and works without it. */
  readonly live?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

/** The policy of pages: nothing foreign, no script within the page, no framing by other pages. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'"

/** The policy of a page on which something is decided: no script at all, and forms that lead where they should. */
const formPolicy = (formAction: string) =>
  `default-src 'none'; style-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self' ${formAction}`

/**
 * A page for people, as a reply: HTML that needs no script, kept by no cache. Its icon is empty, so that browsers ask for none.
 *
 * @param baseUrl the one that the page's own address begins with: what it loads is at the same origin
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
      // Not no-referrer: the origin of a form would be `null` then (Fetch §3.2.5), which is nobody's.
      'referrer-policy': 'same-origin',
      ...headers,
    },
    body: document.text,
  }
}

/** A page with a message, for errors. */
export const messagePage = (baseUrl: string, status: number, title: string, message: string): ProtocolReply =>
  page(baseUrl, { status, title, body: html`<h1>${title}</h1><p>${message}</p>` })

/** The page where there is none. */
export const noPage = (baseUrl: string): ProtocolReply =>
  messagePage(
    baseUrl,
    404,
    'There is nothing here',
    'This page does not exist, or it has expired. Ask the sender for a new link.',
  )

/** Sends the browser on with GET, whatever it came with (RFC 9110 §15.4.4). */
export const seeOther = (location: string, headers: Readonly<Record<string, string>> = {}): ProtocolReply => ({
  status: 303,
  headers: { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', ...headers },
})
