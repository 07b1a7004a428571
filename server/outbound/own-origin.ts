import { createHmac, timingSafeEqual } from 'node:crypto'
import { secretKey } from '../protocol/jose/secret-key.js'

/** Marks a request that this service sends to itself, so that it is not counted twice by the rate limit. */
export const INTERNAL_HEADER = 'x-credence-internal'

/** How long such a mark is good for, in milliseconds. */
const WINDOW_MS = 30_000

const UUID = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'

/** What anybody may ask of this service in the course of OpenID4VCI, OpenID4VP and DID resolution. */
export const OPENID_PROTOCOL_PATHS: readonly RegExp[] = [
  /^\/\.well-known\/./,
  /^\/openid4vci\/./,
  /^\/openid4vp\/./,
  /^\/vct\/./,
  /^\/status-lists\/./,
  /^\/token-status-lists\/./,
  new RegExp(`^/${UUID}/(?:\\.well-known/)?did\\.json$`),
]

const PLAIN_PATH = /^(?:\/(?!\.+(?:\/|$))[A-Za-z0-9._~-]+)+$/

/**
 * Whether a path means the same to every proxy and router on the way: segments of unreserved characters only (RFC 3986 §2.3). Percent
 * encoding, backslashes, path parameters, empty and dot segments are where two readers of one path come to differ.
 */
export function isPlainPath(path: string): boolean {
  return PLAIN_PATH.test(path)
}

/** Whether a path, as this service sees it, is one of the OpenID protocol's or of public metadata. Case matters. */
export function isProtocolPath(path: string): boolean {
  return isPlainPath(path) && OPENID_PROTOCOL_PATHS.some((pattern) => pattern.test(path))
}

const basePathOf = (baseUrl: string) => new URL(baseUrl).pathname.replace(/\/+$/, '')

/** A base URL's path is stripped by the proxy in front; undefined where the path does not lie under it. */
function withoutBase(path: string, basePath: string): string | undefined {
  return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : undefined
}

/** OpenID4VCI 1.0 §12.2.2, RFC 8414 §3.1: the well-known string stands between the host and the identifier's path. */
const isInsertedWellKnown = (path: string, basePath: string) =>
  path.startsWith('/.well-known/') && path.endsWith(basePath) && isProtocolPath(path)

/** Whether a path of a public address, below the base URLs, is a protocol path of this service. */
export function createOwnPathCheck(baseUrls: readonly string[]): (path: string) => boolean {
  const basePaths = [...new Set(baseUrls.map(basePathOf))]
  return (path) =>
    basePaths.some((basePath) => {
      const inner = withoutBase(path, basePath)
      return (inner !== undefined && isProtocolPath(inner)) || isInsertedWellKnown(path, basePath)
    })
}

function macOf(key: Uint8Array, method: string, path: string, timestamp: string): Buffer {
  return createHmac('sha256', secretKey(key)).update(`${method.toUpperCase()}\n${path}\n${timestamp}`).digest()
}

/** The path that arrives at this service when `url` is requested. */
function arrivingPath(url: URL, baseUrls: readonly string[]): string {
  const inner = baseUrls
    .filter((baseUrl) => new URL(baseUrl).origin === url.origin)
    .map((baseUrl) => withoutBase(url.pathname, basePathOf(baseUrl)))
    .find((path) => path !== undefined)
  return inner ?? url.pathname
}

/**
 * Signs requests of this service to itself: HMAC-SHA256 over method, path and time.
 *
 * @param key at least 32 random bytes, the same in every process of the installation.
 * @param baseUrls the service's base URLs, needed where one has a path that a proxy strips.
 * @returns a function that gives the value of {@link INTERNAL_HEADER}, `<milliseconds since 1970>.<base64url MAC>`.
 */
export function ownRequestMac(
  key: Uint8Array,
  clock: () => Date,
  baseUrls: readonly string[] = [],
): (method: string, url: string | URL) => string {
  return (method, url) => {
    const timestamp = String(clock().getTime())
    const path = arrivingPath(new URL(url), baseUrls)
    return `${timestamp}.${macOf(key, method, path, timestamp).toString('base64url')}`
  }
}

/**
 * Whether a request that arrived was signed by {@link ownRequestMac} for this method and path no more than 30 seconds ago.
 * Compares in constant time.
 *
 * @param path as it arrived, undecoded; a query is left out of account.
 */
export function isOwnRequest(
  key: Uint8Array,
  clock: () => Date,
  method: string,
  path: string,
  headerValue: string | readonly string[] | undefined,
): boolean {
  const [, timestamp, sent] = /^(\d{1,15})\.([A-Za-z0-9_-]{43})$/.exec(String(headerValue ?? '')) ?? []
  if (timestamp === undefined || sent === undefined) return false
  if (Math.abs(clock().getTime() - Number(timestamp)) > WINDOW_MS) return false
  const [pathname = ''] = path.split('?', 1)
  return timingSafeEqual(Buffer.from(sent, 'base64url'), macOf(key, method, pathname, timestamp))
}
