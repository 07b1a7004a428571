import { createHash, timingSafeEqual } from 'node:crypto'
import type { Context } from '../../context.js'
import { browserCookie, readBrowserCookie } from '../../pages/browser-cookie.js'

const COOKIE = 'presentation'

/** Longer than any request can be answered: one browser may have several pages open, and has one cookie for all of them. */
const COOKIE_SECONDS = 90_000

const hashOf = (value: string): string => createHash('sha256').update(value).digest('base64url')

const baseUrlOf = ({ deps }: Context) => deps.config.verifierBaseUrl

/** The hash of the cookie that a browser sends; undefined where it sends none. */
export function sentBrowserHash(ctx: Context): string | undefined {
  const cookie = readBrowserCookie(ctx.request.headers.cookie, COOKIE, baseUrlOf(ctx))
  return cookie === undefined ? undefined : hashOf(cookie)
}

/** The browser that opens a page: by the cookie that it has, or by a new one. */
export function openingBrowser(ctx: Context): { readonly hash: string; readonly cookie: string } {
  const known = readBrowserCookie(ctx.request.headers.cookie, COOKIE, baseUrlOf(ctx))
  const value = known ?? Buffer.from(ctx.deps.random(32)).toString('base64url')
  return { hash: hashOf(value), cookie: browserCookie(COOKIE, value, COOKIE_SECONDS, baseUrlOf(ctx)) }
}

/**
 * Whether a request fetches the page ahead, for a person who may never open it (`Sec-Purpose`, Fetch §3.7; `Purpose`, its former
 * name).
 */
export const isPrefetch = ({ request }: Context): boolean =>
  [request.headers['sec-purpose'], request.headers.purpose].some((purpose) =>
    String(purpose ?? '').includes('prefetch'),
  )

/** Whether a person may be looking: a browser that says what a request is for says `document` of pages (Fetch Metadata). */
export function opensPage({ request }: Context): boolean {
  const purpose = request.headers['sec-fetch-dest']
  return request.method === 'GET' && (purpose === undefined || purpose === 'document')
}

/** Compares two hashes in constant time; one that is not there is like none. */
export function sameHash(one: string | null | undefined, other: string | null | undefined): boolean {
  const [some, others] = [Buffer.from(one ?? ''), Buffer.from(other ?? '')]
  return some.length > 0 && some.length === others.length && timingSafeEqual(some, others)
}
