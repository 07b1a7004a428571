import { createHmac, timingSafeEqual } from 'node:crypto'
import { secretKey } from '../protocol/jose/secret-key.js'

/**
 * The header of a request that this service sends to itself. The rate limit does not count a request with this header,
 * because it has already counted the request that caused it.
 */
export const INTERNAL_HEADER = 'x-credence-internal'

/** Time in which the header is valid, in milliseconds. */
const WINDOW_MS = 30_000

const PLAIN_PATH = /^(?:\/(?!\.+(?:\/|$))[A-Za-z0-9._~-]+)+$/

/**
 * True if all proxies and routers read a path in the same way: its segments have only unreserved characters (RFC 3986
 * §2.3). Programs read percent-encoding, backslashes, path parameters, empty segments and dot segments in different
 * ways.
 */
export function isPlainPath(path: string): boolean {
  return PLAIN_PATH.test(path)
}

const basePathOf = (baseUrl: string) => new URL(baseUrl).pathname.replace(/\/+$/, '')

/** Removes the path of the base URL from a path, as the proxy does. Undefined if the path is not below the base URL. */
function withoutBase(path: string, basePath: string): string | undefined {
  return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : undefined
}

/**
 * Makes the function that checks whether this service may send itself a request for a path of its public addresses.
 *
 * @param baseUrls the service's base URLs
 * @param isForWallets true if a standard lets wallets call the path. The path is written as it arrives at this service
 * @returns the function that checks a path of a public address. Upper and lower case are distinguished.
 */
export function createOwnPathCheck(
  baseUrls: readonly string[],
  isForWallets: (path: string) => boolean,
): (path: string) => boolean {
  const basePaths = [...new Set(baseUrls.map(basePathOf))]
  const isProtocolPath = (path: string) => isPlainPath(path) && isForWallets(path)
  // OpenID4VCI 1.0 §12.2.2, RFC 8414 §3.1: the well-known string is inserted between the host and the identifier's path.
  const isInsertedWellKnown = (path: string, basePath: string) =>
    path.startsWith('/.well-known/') && path.endsWith(basePath) && isProtocolPath(path)
  return (path) =>
    basePaths.some((basePath) => {
      const inner = withoutBase(path, basePath)
      return (inner !== undefined && isProtocolPath(inner)) || isInsertedWellKnown(path, basePath)
    })
}

function macOf(key: Uint8Array, method: string, path: string, timestamp: string): Buffer {
  return createHmac('sha256', secretKey(key)).update(`${method.toUpperCase()}\n${path}\n${timestamp}`).digest()
}

/** Returns the path with which a request of `url` arrives at this service. */
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
 * @param key at least 32 random bytes, equal in all processes of the installation.
 * @param baseUrls the service's base URLs, since a proxy may strip their paths.
 * @returns a function that returns the value of {@link INTERNAL_HEADER}, `<milliseconds since 1970>.<base64url MAC>`.
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
 * True if {@link ownRequestMac} signed the request for this method and path at most 30 seconds ago. Compares in
 * constant time.
 *
 * @param path the received path, not decoded; a query is ignored.
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
