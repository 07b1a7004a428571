const VALUE = /^[A-Za-z0-9_-]{43}$/

/**
 * `__Host-` binds a cookie to this host over https (RFC 6265bis §4.1.3.2). On plain http, browsers refuse cookies with
 * this prefix.
 */
const isSecure = (baseUrl: string) => baseUrl.startsWith('https:')
const nameOf = (name: string, baseUrl: string) => `${isSecure(baseUrl) ? '__Host-' : ''}${name}`

/** Returns all values that a request sends for a cookie. */
export function cookieValues(header: string | undefined, name: string, baseUrl: string): string[] {
  const prefix = `${nameOf(name, baseUrl)}=`
  const pairs = (header ?? '').split(/; */).filter((pair) => pair.startsWith(prefix))
  return pairs.map((pair) => pair.slice(prefix.length))
}

/**
 * Makes a Set-Cookie header for a cookie that browsers send only to this host. Scripts cannot read the cookie.
 *
 * @param maxAgeSeconds by default the cookie lives as long as the browser runs
 */
export function cookieHeader(name: string, value: string, baseUrl: string, maxAgeSeconds?: number): string {
  const secure = isSecure(baseUrl) ? '; Secure' : ''
  const age = maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`
  return `${nameOf(name, baseUrl)}=${value}; Path=/${age}; HttpOnly; SameSite=Lax${secure}`
}

/**
 * Returns the value of a cookie that this service has set: 32 random bytes. Undefined if the request has no such
 * cookie.
 */
export function readBrowserCookie(header: string | undefined, name: string, baseUrl: string): string | undefined {
  const found = cookieValues(header, name, baseUrl)
  const [value] = found
  return found.length === 1 && value !== undefined && VALUE.test(value) ? value : undefined
}

/** The Set-Cookie header for a cookie that {@link readBrowserCookie} reads. Scripts cannot read the cookie. */
export function browserCookie(name: string, value: string, maxAgeSeconds: number, baseUrl: string): string {
  return cookieHeader(name, value, baseUrl, maxAgeSeconds)
}
