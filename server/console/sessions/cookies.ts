import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { cookieHeader, cookieValues } from '../../pages/browser-cookie.js'

/** Cookie of the console session. */
export const SESSION_COOKIE = 'console'
/** Cookie of a login in progress. */
export const LOGIN_COOKIE = 'console-login'

const COOKIE = /^([A-Za-z0-9_-]{43})\.([A-Za-z0-9_-]{43})$/

const macOf = (key: Uint8Array, id: string) => createHmac('sha256', key).update(id).digest()

/**
 * Makes the value of the cookie: the session's id and a MAC. The MAC reveals forged ids without a query to the
 * database.
 */
export const sealedId = (key: Uint8Array, id: string): string => `${id}.${macOf(key, id).toString('base64url')}`

/** Returns the id in a cookie's value. Undefined if this service did not make the value. Compares in constant time. */
export function openedId(key: Uint8Array, value: string): string | undefined {
  const [, id, sent] = COOKIE.exec(value) ?? []
  if (id === undefined || sent === undefined) return undefined
  return timingSafeEqual(Buffer.from(sent, 'base64url'), macOf(key, id)) ? id : undefined
}

/**
 * Returns the session's id from a request's cookies. Undefined without a session cookie, `forged` if this service did
 * not make the cookie's value.
 */
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

/** The Set-Cookie header of a session. The cookie has no expiry, because the service decides when the session ends. */
export const sessionCookie = (value: string, baseUrl: string): string => cookieHeader(SESSION_COOKIE, value, baseUrl)

/** Set-Cookie that removes a session's cookie. */
export const noSessionCookie = (baseUrl: string): string => cookieHeader(SESSION_COOKIE, '', baseUrl, 0)

/**
 * True if a page of the console sent the request. The request has the header `x-console: 1`, which a page of a foreign
 * site cannot set without a preflight. In addition, the browser must say that the page has the same origin: with Fetch
 * Metadata, or without Fetch Metadata with the header `Origin`.
 */
export function isOfConsole(headers: IncomingHttpHeaders, ownOrigin: string): boolean {
  if (headers['x-console'] !== '1') return false
  const site = headers['sec-fetch-site']
  return site === undefined ? headers.origin === ownOrigin : site === 'same-origin'
}
