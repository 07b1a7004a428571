import { createHash, timingSafeEqual } from 'node:crypto'
import { onlyLooks, type RequestFacts } from '../api/context.js'
import { browserCookie, readBrowserCookie } from '../pages/browser-cookie.js'
import { messagePage } from '../pages/page.js'
import type { ProtocolReply } from '../protocol/oauth/reply.js'

const COOKIE = 'presentation'

/** Longer than any request can be answered: one browser may have several pages open, and has one cookie for all of them. */
const COOKIE_SECONDS = 90_000

const hashOf = (value: string): string => createHash('sha256').update(value).digest('base64url')

/** What a request tells of its browser. */
export type BrowserRequest = Pick<RequestFacts, 'method' | 'headers'>

/** A browser that opens a page. */
export interface OpeningBrowser {
  readonly hash: string
  /** The Set-Cookie header that it keeps. */
  readonly cookie: string
}

/**
 * The hash of the cookie that a browser sends; undefined where it sends none.
 *
 * @param baseUrl what the page's address begins with
 */
export function sentBrowserHash({ headers }: BrowserRequest, baseUrl: string): string | undefined {
  const cookie = readBrowserCookie(headers.cookie, COOKIE, baseUrl)
  return cookie === undefined ? undefined : hashOf(cookie)
}

/**
 * The browser that opens a page: by the cookie that it has, or by a new one. Undefined where nobody opens it: a HEAD looks, and
 * some requests load no document.
 *
 * @param random makes so many random bytes
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
 * Whether a request fetches the page ahead, for a person who may never open it (`Sec-Purpose`, Fetch §3.7; `Purpose`, its former
 * name).
 */
export const isPrefetch = ({ headers }: BrowserRequest): boolean =>
  [headers['sec-purpose'], headers.purpose].some((purpose) => String(purpose ?? '').includes('prefetch'))

/** A browser that fetches ahead gets nothing, so that it asks again when a person opens the page: that is what counts. */
export const later = (baseUrl: string): ProtocolReply =>
  messagePage(baseUrl, 503, 'Not now', 'This page is shown when somebody opens it.')

/** Whether a person may be looking: a browser that says what a request is for says `document` of pages (Fetch Metadata). */
function opensPage({ method, headers }: BrowserRequest): boolean {
  const purpose = headers['sec-fetch-dest']
  return method === 'GET' && (purpose === undefined || purpose === 'document')
}

/** Compares two hashes in constant time; one that is not there is like none. */
export function sameHash(one: string | null | undefined, other: string | null | undefined): boolean {
  const [some, others] = [Buffer.from(one ?? ''), Buffer.from(other ?? '')]
  return some.length > 0 && some.length === others.length && timingSafeEqual(some, others)
}

/** Which browser opened a page first: the one that asks, another one, or none yet. */
export type Beginner = 'this' | 'another' | 'none'

/**
 * Which browser began, as the one that asks may know it.
 *
 * @param browserHash of the browser that opened the page first; null where there is none
 * @param baseUrl what the page's address begins with
 */
export function beginnerOf(request: BrowserRequest, browserHash: string | null, baseUrl: string): Beginner {
  if (browserHash === null) return 'none'
  return sameHash(browserHash, sentBrowserHash(request, baseUrl)) ? 'this' : 'another'
}
