import { z } from 'zod'

/** Without `\`, which RFC 3986 does not have and browsers read as `/`. */
const PRINTABLE = /^[\x21-\x5b\x5d-\x7e]+$/
/**
 * An address of the web as RFC 9110 §4.2 writes it: `//`, a host (RFC 1123 §2.1, RFC 3986 §3.2.2) and no user information.
 * URL parsers read more: they add slashes that are missing, which a browser reads as a path of the page that it is on.
 */
const WEB_ADDRESS = /^https?:\/\/([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?(?:[/?#]|$)/i
/** RFC 7595 §3.8: an app's own scheme is named after a domain, which keeps javascript:, data:, file: and blob: out. */
const PRIVATE_SCHEME = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/
/** Schemes that a browser would execute or open as content of the page that redirects, and those of other protocols than HTTP. */
const FORBIDDEN_SCHEMES = new Set(
  'javascript: data: file: blob: filesystem: view-source: vbscript: about: ftp: ws: wss:'.split(' '),
)
const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * An address that every program reads alike, so that an address is judged as it is sent. URL parsers drop tabs and line breaks, and
 * they rewrite hosts: `0x7f.1` is 127.0.0.1 to a browser and a name to others.
 */
function parsed(uri: string): URL | undefined {
  const url = PRINTABLE.test(uri) && URL.canParse(uri) ? new URL(uri) : undefined
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return url
  const host = WEB_ADDRESS.exec(uri)?.[1]?.toLowerCase()
  return host === url.hostname || (host?.startsWith('[') && url.hostname.startsWith('[')) ? url : undefined
}

/** Whether a text is an origin of the web just as browsers write it: scheme, host in lower case, a port that is not the scheme's own. */
export function isWebOrigin(text: string): boolean {
  const url = parsed(text)
  return (url?.protocol === 'https:' || url?.protocol === 'http:') && url.origin === text
}

/** What begins as a scheme with something behind it; a host with its port does so too. */
const SCHEME_AND_REST = /^([a-z][a-z0-9+.-]*:)(?!\d+$)./i

/**
 * Whether a text may be the origin of an app, such as `android:apk-key-hash:…`. Platforms define it (OpenID4VP 1.0 §2, Appendix A), so it is
 * opaque: of any scheme but those of the web and those that a browser would run.
 */
export function isPlatformOrigin(text: string): boolean {
  const scheme = PRINTABLE.test(text) ? SCHEME_AND_REST.exec(text)?.[1]?.toLowerCase() : undefined
  return scheme !== undefined && scheme !== 'https:' && scheme !== 'http:' && !FORBIDDEN_SCHEMES.has(scheme)
}

/** Whether a browser or an app may be sent to an address: https, an app's scheme with a dot, and http where it is allowed. */
export function isRedirectUri(uri: string, allowHttp: boolean): boolean {
  const url = parsed(uri)
  if (url === undefined) return false
  if (url.protocol === 'https:' || (allowHttp && url.protocol === 'http:')) return true
  return PRIVATE_SCHEME.test(url.protocol)
}

/**
 * Whether a client that nobody registered may be sent to an address: those above, and http on a loopback address with any
 * port (RFC 8252 §7.3). RFC 6749 §3.1.2: without a fragment.
 */
export function isPublicClientRedirectUri(uri: string, allowHttp: boolean): boolean {
  const url = parsed(uri)
  if (url === undefined || uri.includes('#')) return false
  const loopback = url.protocol === 'http:' && LOOPBACK_NAMES.has(url.hostname)
  return loopback || isRedirectUri(uri, allowHttp)
}

/** Whether somebody may be told an address that another service chose: of any scheme but those that a browser would run. */
export function isForeignRedirectUri(uri: string): boolean {
  const url = parsed(uri)
  return url !== undefined && !FORBIDDEN_SCHEMES.has(url.protocol)
}

/** Whether a registered client may name an address: of any scheme but those that a browser would run, without a fragment. */
export const isRegistrableRedirectUri = (uri: string): boolean => !uri.includes('#') && isForeignRedirectUri(uri)

const MAX_WALLET_URL = 1024

const isWalletUrl = (uri: string): boolean => isRegistrableRedirectUri(uri) && !/^http:/i.test(uri)

/**
 * What the address of an offer or a request may begin with, so that it reaches one wallet: https, or any scheme of apps but those
 * that a browser would run; at most 1,024 characters, which a QR code still holds with the rest of the address.
 */
export const zWalletUrl = z
  .string()
  .max(MAX_WALLET_URL)
  .refine(isWalletUrl, { error: 'must be an https address or begin with the scheme of an app' })

/** The address with parameters added to its query (RFC 6749 §4.1.2), otherwise as it was given. */
export function withParameters(uri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const [base = '', ...fragment] = uri.split('#')
  const added = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) added.set(name, value)
  const separator = base.includes('?') ? '&' : '?'
  return [`${base}${separator}${added}`, ...fragment].join('#')
}
