import type { JWTPayload } from 'jose'

/**
 * Accepted header types: the type of RFC 9068 §2.1, and `JWT`, which older providers write. Upper and lower case do not
 * matter (RFC 7515 §4.1.9).
 */
const HEADER_TYPES: ReadonlySet<string> = new Set(['at+jwt', 'application/at+jwt', 'jwt', 'application/jwt'])
/** The header types that no token except an access token has. */
const ACCESS_HEADER_TYPES: ReadonlySet<string> = new Set(['at+jwt', 'application/at+jwt'])

/** Values of the payload's `typ` in access tokens of Keycloak and similar providers. */
const ACCESS_PAYLOAD_TYPES: ReadonlySet<string> = new Set(['bearer', 'dpop', 'at+jwt'])
const OTHER_PAYLOAD_TYPES: ReadonlySet<string> = new Set(['id', 'refresh', 'offline', 'logout'])

const lowerCase = (value: unknown) => (typeof value === 'string' ? value.toLowerCase() : undefined)

/**
 * Returns the reason why a verified JWT of the identity provider is no access token. Undefined for an access token. The
 * check is needed because the provider signs further tokens with the same key: ID tokens, which every client of the
 * provider receives, and logout and refresh tokens. A `nonce` indicates an ID token only if no `typ` names an access
 * token, since older Keycloaks also write `nonce` into access tokens.
 */
export function notAnAccessToken(header: { readonly typ?: unknown }, payload: JWTPayload): string | undefined {
  const headerType = lowerCase(header.typ)
  if (header.typ !== undefined && (headerType === undefined || !HEADER_TYPES.has(headerType))) {
    return 'The header typ does not name an access token.'
  }
  const type = lowerCase(payload.typ)
  if (type !== undefined && OTHER_PAYLOAD_TYPES.has(type)) return `The token is of the type ${type}.`
  if (payload.events !== undefined) return 'The token has the claim events, like a logout token.'
  if (payload.at_hash !== undefined || payload.c_hash !== undefined) return 'The token is an ID token.'
  const saysAccess = ACCESS_HEADER_TYPES.has(headerType ?? '') || ACCESS_PAYLOAD_TYPES.has(type ?? '')
  return payload.nonce !== undefined && !saysAccess ? 'The token is an ID token.' : undefined
}
