import { z } from 'zod'

/** Printable characters without `\`: RFC 3986 does not allow `\`, and browsers read it as `/`. */
const PRINTABLE = /^[\x21-\x5b\x5d-\x7e]+$/
/**
 * A web address as RFC 9110 §4.2 defines it: `//`, a host (RFC 1123 §2.1, RFC 3986 §3.2.2) and no user information. URL
 * parsers accept more: they add missing slashes, while a browser reads such an address as a path of the current page.
 */
const WEB_ADDRESS = /^https?:\/\/([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?(?:[/?#]|$)/i
/** RFC 7595 §3.8: the scheme of an app is named after a domain, so it is never javascript:, data:, file: or blob:. */
const PRIVATE_SCHEME = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/
/** Schemes that a browser would execute or open as content of the redirecting page, and schemes of other protocols than HTTP. */
const FORBIDDEN_SCHEMES = new Set(
  'javascript: data: file: blob: filesystem: view-source: vbscript: about: ftp: ws: wss:'.split(' '),
)
const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Accepts only an address that every program reads in the same way. So the address that was checked is the address that
 * is used. URL parsers drop tabs and line breaks, and they rewrite hosts: `0x7f.1` is 127.0.0.1 for a browser and a
 * name for other programs.
 */
function parsed(uri: string): URL | undefined {
  const url = PRINTABLE.test(uri) && URL.canParse(uri) ? new URL(uri) : undefined
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return url
  const host = WEB_ADDRESS.exec(uri)?.[1]?.toLowerCase()
  return host === url.hostname || (host?.startsWith('[') && url.hostname.startsWith('[')) ? url : undefined
}

/**
 * Whether a text is a web origin exactly as browsers write it: scheme, host in lower case, and a port only if it is not
 * the scheme's default.
 */
export function isWebOrigin(text: string): boolean {
  const url = parsed(text)
  return (url?.protocol === 'https:' || url?.protocol === 'http:') && url.origin === text
}

/** A scheme that is followed by more text. A host with a port looks similar, but does not match. */
const SCHEME_AND_REST = /^([a-z][a-z0-9+.-]*:)(?!\d+$)./i

/**
 * Whether a text may be the origin of an app, such as `android:apk-key-hash:…`. Platforms define the form of such an
 * origin (OpenID4VP 1.0 §2, Appendix A), so it is not parsed here. It may have any scheme except web schemes and
 * schemes that a browser would execute.
 */
export function isPlatformOrigin(text: string): boolean {
  const scheme = PRINTABLE.test(text) ? SCHEME_AND_REST.exec(text)?.[1]?.toLowerCase() : undefined
  return scheme !== undefined && scheme !== 'https:' && scheme !== 'http:' && !FORBIDDEN_SCHEMES.has(scheme)
}

/** Whether a browser or an app may be sent to an address: https, an app's scheme with a dot, and http if it is allowed. */
export function isRedirectUri(uri: string, allowHttp: boolean): boolean {
  const url = parsed(uri)
  if (url === undefined) return false
  if (url.protocol === 'https:' || (allowHttp && url.protocol === 'http:')) return true
  return PRIVATE_SCHEME.test(url.protocol)
}

/**
 * Whether the browser may be sent to an address of an unregistered client: the addresses of `isRedirectUri`, and http
 * on a loopback address with any port (RFC 8252 §7.3). The address must have no fragment (RFC 6749 §3.1.2).
 */
export function isPublicClientRedirectUri(uri: string, allowHttp: boolean): boolean {
  const url = parsed(uri)
  if (url === undefined || uri.includes('#')) return false
  const loopback = url.protocol === 'http:' && LOOPBACK_NAMES.has(url.hostname)
  return loopback || isRedirectUri(uri, allowHttp)
}

/**
 * Whether an address that another service chose may be shown to people: it may have any scheme except schemes that a
 * browser would execute.
 */
export function isForeignRedirectUri(uri: string): boolean {
  const url = parsed(uri)
  return url !== undefined && !FORBIDDEN_SCHEMES.has(url.protocol)
}

/**
 * Whether a client may register an address: it may have any scheme except schemes that a browser would execute, and has
 * no fragment.
 */
export const isRegistrableRedirectUri = (uri: string): boolean => !uri.includes('#') && isForeignRedirectUri(uri)

const MAX_WALLET_URL = 1024

const isWalletUrl = (uri: string): boolean => isRegistrableRedirectUri(uri) && !/^http:/i.test(uri)

/**
 * The beginning of an address that opens an offer or a request in one particular wallet: https, or any app scheme that
 * a browser does not execute. At most 1,024 characters, so that a QR code has room for the rest of the address.
 */
export const zWalletUrl = z
  .string()
  .max(MAX_WALLET_URL)
  .refine(isWalletUrl, { error: 'must be an https address or begin with the scheme of an app' })

/** The address with parameters added to its query (RFC 6749 §4.1.2), otherwise unchanged. */
export function withParameters(uri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const [base = '', ...fragment] = uri.split('#')
  const added = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) added.set(name, value)
  const separator = base.includes('?') ? '&' : '?'
  return [`${base}${separator}${added}`, ...fragment].join('#')
}
