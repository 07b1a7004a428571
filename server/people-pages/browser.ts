import { createHash, timingSafeEqual } from 'node:crypto'
import { onlyLooks, type RequestFacts } from '../api/context.js'
import { browserCookie, readBrowserCookie } from '../pages/browser-cookie.js'
import { messagePage } from '../pages/page.js'
import type { Speech } from '../pages/speech.js'
import type { ProtocolReply } from '../protocol/oauth/reply.js'

const COOKIE = 'presentation'

/**
 * Validity of the cookie. It is longer than the validity of any request, because a browser has one cookie for all pages
 * that it opens.
 */
const COOKIE_SECONDS = 90_000

const hashOf = (value: string): string => createHash('sha256').update(value).digest('base64url')

/** The parts of a request that identify the browser. */
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
 * Identifies the browser that opens a page, by its cookie or by a new cookie. Undefined if no person opens the page:
 * the request is a HEAD, or the browser does not request the page as a document.
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

/** The reply to a prefetch. It is an error, so the browser requests the page again when a person opens it. */
export const later = (baseUrl: string, speech: Speech): ProtocolReply =>
  messagePage(baseUrl, speech, 503, speech.say('error.notNow'), speech.say('error.prefetch'))

/**
 * Whether a person opens the page with this request. Browsers that support Fetch Metadata send the destination
 * `document` for pages.
 */
function opensPage({ method, headers }: BrowserRequest): boolean {
  const purpose = headers['sec-fetch-dest']
  return method === 'GET' && (purpose === undefined || purpose === 'document')
}

/** Compares two hashes in constant time. Returns false if one of them is absent. */
export function sameHash(one: string | null | undefined, other: string | null | undefined): boolean {
  const [some, others] = [Buffer.from(one ?? ''), Buffer.from(other ?? '')]
  return some.length > 0 && some.length === others.length && timingSafeEqual(some, others)
}

/**
 * Which browser opened a page first: the browser of this request (`this`), a different browser (`another`), or none so
 * far (`none`).
 */
export type Beginner = 'this' | 'another' | 'none'

/**
 * Finds out whether the browser of this request opened the page first.
 *
 * @param browserHash the hash of the browser that opened the page first; null if no browser opened it
 * @param baseUrl the base URL of the page's address
 */
export function beginnerOf(request: BrowserRequest, browserHash: string | null, baseUrl: string): Beginner {
  if (browserHash === null) return 'none'
  return sameHash(browserHash, sentBrowserHash(request, baseUrl)) ? 'this' : 'another'
}
