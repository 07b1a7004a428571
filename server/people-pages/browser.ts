import { createHash, timingSafeEqual } from 'node:crypto'
import { onlyLooks, type RequestFacts } from '../api/context.js'
import { browserCookie, readBrowserCookie } from '../pages/browser-cookie.js'
import { messagePage } from '../pages/page.js'
import type { ProtocolReply } from '../protocol/oauth/reply.js'

const COOKIE = 'presentation'

/** Longer than the validity of any request: one browser may have several pages open, with one cookie for all pages. */
const COOKIE_SECONDS = 90_000

const hashOf = (value: string): string => createHash('sha256').update(value).digest('base64url')

/** The parts of a request that identify its browser. */
export type BrowserRequest = Pick<RequestFacts, 'method' | 'headers'>

/** A browser that opens a page. */
export interface OpeningBrowser {
  readonly hash: string
  /** The Set-Cookie header for the browser. */
  readonly cookie: string
}

/**
 * The hash of the cookie that a browser sends; undefined for a browser without a cookie.
 *
 * @param baseUrl the base URL of the page's address
 */
export function sentBrowserHash({ headers }: BrowserRequest, baseUrl: string): string | undefined {
  const cookie = readBrowserCookie(headers.cookie, COOKIE, baseUrl)
  return cookie === undefined ? undefined : hashOf(cookie)
}

/**
 * The browser that opens a page, by its cookie or by a new cookie. Undefined if no person opens the page: a HEAD opens
 * no page, and some requests load no document.
 *
 * @param random returns random bytes of a given length
 */
export function openingBrowser(
  request: BrowserRequest,
  baseUrl: string,
  random: (length: number) => Uint8Array,
): OpeningBrowser | undefined {
  if (!opensPage(request) || onlyLooks(request)) return undefined
  const known = readBrowserCookie(request.headers.cookie, COOKIE, baseUrl)
  const value = known ?? Buffer.from(random(32)).toString('base64url')
  return { hash: hashOf(value), cookie: browserCookie(COOKIE, value, COOKIE_SECONDS, baseUrl) }
}

/**
 * Whether a request prefetches the page for a person who may never open the page (`Sec-Purpose`, Fetch §3.7; `Purpose`,
 * its former name).
 */
export const isPrefetch = ({ headers }: BrowserRequest): boolean =>
  [headers['sec-purpose'], headers.purpose].some((purpose) => String(purpose ?? '').includes('prefetch'))

/** The reply to a prefetch. The reply has no content, so the browser requests the page again when a person opens it. */
export const later = (baseUrl: string): ProtocolReply =>
  messagePage(baseUrl, 503, 'Not now', 'This page is shown when somebody opens it.')

/** Whether a person may see the page. For pages, browsers with Fetch Metadata send the destination `document`. */
function opensPage({ method, headers }: BrowserRequest): boolean {
  const purpose = headers['sec-fetch-dest']
  return method === 'GET' && (purpose === undefined || purpose === 'document')
}

/** Compares two hashes in constant time; an absent hash equals none. */
export function sameHash(one: string | null | undefined, other: string | null | undefined): boolean {
  const [some, others] = [Buffer.from(one ?? ''), Buffer.from(other ?? '')]
  return some.length > 0 && some.length === others.length && timingSafeEqual(some, others)
}

/** The first browser that opened a page: the browser of this request, another browser, or none yet. */
export type Beginner = 'this' | 'another' | 'none'

/**
 * Which browser opened the page first, from the view of the requesting browser.
 *
 * @param browserHash the hash of the browser that opened the page first; null if no browser opened it
 * @param baseUrl the base URL of the page's address
 */
export function beginnerOf(request: BrowserRequest, browserHash: string | null, baseUrl: string): Beginner {
  if (browserHash === null) return 'none'
  return sameHash(browserHash, sentBrowserHash(request, baseUrl)) ? 'this' : 'another'
}
