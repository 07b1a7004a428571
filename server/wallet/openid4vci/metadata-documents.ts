type Fetch = typeof globalThis.fetch

const WELL_KNOWN = '/.well-known/openid-credential-issuer'

/**
 * The address of an issuer's metadata (OpenID4VCI 1.0 §12.2.2): the well-known string stands between host and path, and the path stays
 * as it is. Drafts, and RFC 8414 §3.1 for authorization servers, remove a slash at its end.
 */
function metadataUrl(issuer: string): string {
  const { origin, pathname } = new URL(issuer)
  // The parser gives a slash to an identifier without a path.
  const path = pathname === '/' && !issuer.endsWith('/') ? '' : pathname
  return `${origin}${WELL_KNOWN}${path}`
}

/**
 * A fetch for the library's look-up of an issuer's metadata. The library removes a slash at the end of the identifier: the address of
 * OpenID4VCI 1.0 is asked first, and the library's own where nothing is there.
 */
export function metadataFetch(fetch: Fetch, issuer: string): Fetch {
  const exact = metadataUrl(issuer)
  if (!exact.endsWith('/')) return fetch
  return async (input, init) => {
    if (`${String(input)}/` !== exact) return fetch(input, init)
    const answer = await fetch(exact, init)
    return answer.ok ? answer : fetch(input, init)
  }
}
