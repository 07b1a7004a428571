import type { JWTPayload } from 'jose'

/** RFC 9068 §2.1, and what providers wrote before it: `JWT` or nothing. Media types know no case (RFC 7515 §4.1.9). */
const HEADER_TYPES: ReadonlySet<string> = new Set(['at+jwt', 'application/at+jwt', 'jwt', 'application/jwt'])
/** Header types that no other token has. */
const ACCESS_HEADER_TYPES: ReadonlySet<string> = new Set(['at+jwt', 'application/at+jwt'])

/** The payload's `typ` as Keycloak and similar providers write it. */
const ACCESS_PAYLOAD_TYPES: ReadonlySet<string> = new Set(['bearer', 'dpop', 'at+jwt'])
const OTHER_PAYLOAD_TYPES: ReadonlySet<string> = new Set(['id', 'refresh', 'offline', 'logout'])

const lowerCase = (value: unknown) => (typeof value === 'string' ? value.toLowerCase() : undefined)

/**
 * Why a verified JWT of the identity provider is no access token; undefined where it is one. The same key signs ID tokens,
 * which every client of the provider gets, and logout and refresh tokens. A `nonce` tells an ID token only where no `typ`
 * says that this is an access token, since older Keycloaks write it into those too.
 */
export function notAnAccessToken(header: { readonly typ?: unknown }, payload: JWTPayload): string | undefined {
  const headerType = lowerCase(header.typ)
  if (header.typ !== undefined && (headerType === undefined || !HEADER_TYPES.has(headerType))) {
    return 'The header typ is not that of an access token.'
  }
  const type = lowerCase(payload.typ)
  if (type !== undefined && OTHER_PAYLOAD_TYPES.has(type)) return `The token is of the type ${type}.`
  if (payload.events !== undefined) return 'The token tells of events, as a logout token does.'
  if (payload.at_hash !== undefined || payload.c_hash !== undefined) return 'The token is an ID token.'
  const saysAccess = ACCESS_HEADER_TYPES.has(headerType ?? '') || ACCESS_PAYLOAD_TYPES.has(type ?? '')
  return payload.nonce !== undefined && !saysAccess ? 'The token is an ID token.' : undefined
}
