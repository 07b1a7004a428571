const PRINTABLE = /^[\x21-\x7e]+$/
/** RFC 7595 §3.8: an app's own scheme is named after a domain, which keeps javascript:, data:, file: and blob: out. */
const PRIVATE_SCHEME = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/

/** Whether a browser or an app may be sent to an address after the wallet has answered. */
export function isRedirectUri(uri: string, allowHttp: boolean): boolean {
  // A URL parser drops tabs and line breaks, so that it may read something else than others do.
  if (!PRINTABLE.test(uri) || !URL.canParse(uri)) return false
  const { protocol, hostname } = new URL(uri)
  if (protocol === 'https:' || (allowHttp && protocol === 'http:')) return hostname !== ''
  return PRIVATE_SCHEME.test(protocol)
}

/** The address with a response code in its query (OpenID4VP 1.0 §13.3), otherwise as it was given. */
export function withResponseCode(uri: string, responseCode: string): string {
  const [base = '', ...fragment] = uri.split('#')
  const separator = base.includes('?') ? '&' : '?'
  return [`${base}${separator}response_code=${responseCode}`, ...fragment].join('#')
}
