const VALUE = /^[A-Za-z0-9_-]{43}$/

/** `__Host-` binds a cookie to this host over https (RFC 6265bis §4.1.3.2). On plain http, browsers refuse that prefix. */
const isSecure = (baseUrl: string) => baseUrl.startsWith('https:')
const nameOf = (name: string, baseUrl: string) => `${isSecure(baseUrl) ? '__Host-' : ''}${name}`

/** Every value of a cookie in a request. */
export function cookieValues(header: string | undefined, name: string, baseUrl: string): string[] {
  const prefix = `${nameOf(name, baseUrl)}=`
  const pairs = (header ?? '').split(/; */).filter((pair) => pair.startsWith(prefix))
  return pairs.map((pair) => pair.slice(prefix.length))
}

/**
 * A Set-Cookie header for this host only. Scripts cannot read the cookie.
 *
 * @param maxAgeSeconds by default the cookie lives as long as the browser runs
 */
export function cookieHeader(name: string, value: string, baseUrl: string, maxAgeSeconds?: number): string {
  const secure = isSecure(baseUrl) ? '; Secure' : ''
  const age = maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`
  return `${nameOf(name, baseUrl)}=${value}; Path=/${age}; HttpOnly; SameSite=Lax${secure}`
}

/** The value of a cookie of 32 random bytes that this service set; undefined if there is none. */
export function readBrowserCookie(header: string | undefined, name: string, baseUrl: string): string | undefined {
  const found = cookieValues(header, name, baseUrl)
  const [value] = found
  return found.length === 1 && value !== undefined && VALUE.test(value) ? value : undefined
}

/** The Set-Cookie header for a cookie that {@link readBrowserCookie} reads. Scripts cannot read the cookie. */
export function browserCookie(name: string, value: string, maxAgeSeconds: number, baseUrl: string): string {
  return cookieHeader(name, value, baseUrl, maxAgeSeconds)
}
