import type { Config } from '../config.js'
import type { ProtocolReply } from '../protocol/oauth/reply.js'
import { type Html, html } from './html.js'

export interface Page {
  readonly title: string
  readonly body: Html
  readonly status?: number
  /** Where a form of the page may lead: browsers hold the redirect that follows it to the same rule. */
  readonly formAction?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The policy of pages: no foreign resources, no scripts, no framing by other pages. */
const policy = (formAction: string | undefined) =>
  `default-src 'none'; style-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'${
    formAction === undefined ? '' : ` ${formAction}`
  }`

/** A page for people, as a reply: HTML that needs no script, kept by no cache. */
export function page(
  { issuerBaseUrl }: Pick<Config, 'issuerBaseUrl'>,
  { title, body, status = 200, formAction, headers }: Page,
): ProtocolReply {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="same-origin">
<title>${title}</title>
<link rel="stylesheet" href="${issuerBaseUrl}/pages/style.css">
</head>
<body><main>${body}</main></body>
</html>
`
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': policy(formAction),
      // Not no-referrer: the origin of a form would be `null` then (Fetch §3.2.5), which is nobody's.
      'referrer-policy': 'same-origin',
      ...headers,
    },
    body: document.text,
  }
}

/** A page with a message, for errors. */
export const messagePage = (
  config: Pick<Config, 'issuerBaseUrl'>,
  status: number,
  title: string,
  message: string,
): ProtocolReply => page(config, { status, title, body: html`<h1>${title}</h1><p>${message}</p>` })

/** Sends the browser on with GET, whatever it came with (RFC 9110 §15.4.4). */
export const seeOther = (location: string, headers: Readonly<Record<string, string>> = {}): ProtocolReply => ({
  status: 303,
  headers: { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', ...headers },
})
