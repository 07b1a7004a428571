import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { cookieHeader, cookieValues } from '../../pages/browser-cookie.js'

/** Of the console's session, in the browser. */
export const SESSION_COOKIE = 'console'
/** Of a login under way. */
export const LOGIN_COOKIE = 'console-login'

const COOKIE = /^([A-Za-z0-9_-]{43})\.([A-Za-z0-9_-]{43})$/

const macOf = (key: Uint8Array, id: string) => createHmac('sha256', key).update(id).digest()

/** A cookie's value: the session's id, and a MAC by which a made-up one is found without the database. */
export const sealedId = (key: Uint8Array, id: string): string => `${id}.${macOf(key, id).toString('base64url')}`

/** The id in a cookie's value; undefined where we did not write it. Compares in constant time. */
export function openedId(key: Uint8Array, value: string): string | undefined {
  const [, id, sent] = COOKIE.exec(value) ?? []
  if (id === undefined || sent === undefined) return undefined
  return timingSafeEqual(Buffer.from(sent, 'base64url'), macOf(key, id)) ? id : undefined
}

/** What a request's cookies say of its session: nothing, its id, or that the session is none of ours. */
export function sessionIdIn(
  headers: IncomingHttpHeaders,
  key: Uint8Array,
  baseUrl: string,
): string | 'forged' | undefined {
  const values = cookieValues(headers.cookie, SESSION_COOKIE, baseUrl)
  const [value] = values
  if (value === undefined) return undefined
  return (values.length === 1 ? openedId(key, value) : undefined) ?? 'forged'
}

/** Set-Cookie of a session, for as long as the browser runs: the session ends here, not there. */
export const sessionCookie = (value: string, baseUrl: string): string => cookieHeader(SESSION_COOKIE, value, baseUrl)

/** Set-Cookie that takes a session's cookie away. */
export const noSessionCookie = (baseUrl: string): string => cookieHeader(SESSION_COOKIE, '', baseUrl, 0)

/**
 * Whether a page of the console sent a request: it has `x-console: 1`, which a page of another site cannot set unasked, and the browser
 * says that it comes from the same origin (Fetch Metadata), or, where it says nothing of that, names that very origin.
 */
export function isOfConsole(headers: IncomingHttpHeaders, ownOrigin: string): boolean {
  if (headers['x-console'] !== '1') return false
  const site = headers['sec-fetch-site']
  return site === undefined ? headers.origin === ownOrigin : site === 'same-origin'
}
