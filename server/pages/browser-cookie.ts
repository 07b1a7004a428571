const VALUE = /^[A-Za-z0-9_-]{43}$/

/** `__Host-` ties a cookie to this host over https (RFC 6265bis §4.1.3.2); on plain http browsers refuse that prefix. */
const isSecure = (baseUrl: string) => baseUrl.startsWith('https:')
const nameOf = (name: string, baseUrl: string) => `${isSecure(baseUrl) ? '__Host-' : ''}${name}`

/** The value of a cookie of 32 random bytes that this service set; undefined where there is none. */
export function readBrowserCookie(header: string | undefined, name: string, baseUrl: string): string | undefined {
  const prefix = `${nameOf(name, baseUrl)}=`
  const found = (header ?? '').split(/; */).filter((pair) => pair.startsWith(prefix))
  const value = found[0]?.slice(prefix.length)
  return found.length === 1 && value !== undefined && VALUE.test(value) ? value : undefined
}

/** The Set-Cookie header of such a cookie: for this browser alone, out of scripts' reach. */
export function browserCookie(name: string, value: string, maxAgeSeconds: number, baseUrl: string): string {
  const secure = isSecure(baseUrl) ? '; Secure' : ''
  return `${nameOf(name, baseUrl)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`
}
