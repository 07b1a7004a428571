import type { Config } from '../../config/config.js'
import type { OutboundFetch } from '../../outbound/guard.js'
import { usedIssuerMembers, usedServerMembers } from './used-members.js'

const ISSUER = '/.well-known/openid-credential-issuer'
const SERVERS = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']

/** Metadata of an issuer with many types and names in many languages may be as large as a status list. */
export const MAX_METADATA_BYTES = 2_097_152

type Fetch = typeof globalThis.fetch

/**
 * The address of an issuer's metadata (OpenID4VCI 1.0 §12.2.2): the well-known string is between host and path, and the path stays
 * unchanged. Drafts, and RFC 8414 §3.1 for authorization servers, remove a slash at the end of the path.
 */
export function metadataUrl(issuer: string): string {
  const { origin, pathname } = new URL(issuer)
  // The parser adds a slash to an identifier without a path.
  const path = pathname === '/' && !issuer.endsWith('/') ? '' : pathname
  return `${origin}${ISSUER}${path}`
}

/**
 * The library removes a slash at the end of the identifier. So the address of OpenID4VCI 1.0 is tried first, and the library's own
 * address if the first fails.
 */
function atExactAddress(fetch: OutboundFetch, issuer: string): OutboundFetch {
  const exact = metadataUrl(issuer)
  if (!exact.endsWith('/')) return fetch
  return async (input, init) => {
    if (`${String(input)}/` !== exact) return fetch(input, init)
    const answer = await fetch(exact, init)
    return answer.ok ? answer : fetch(input, init)
  }
}

/** The metadata of this installation, read without HTTP. The installation is its own authorization server. */
export interface OwnMetadata {
  readonly config: Pick<Config, 'issuerBaseUrl'>
  /** Metadata as JSON: as a credential issuer (OpenID4VCI 1.0 §12.2.4), or as an authorization server (RFC 8414). */
  readonly ownMetadata: (of: 'issuer' | 'authorization server') => Promise<string>
}

const json = (document: unknown, status = 200): Response =>
  new Response(JSON.stringify(document), { status, headers: { 'content-type': 'application/json' } })

const isJson = ({ ok, headers }: Response): boolean =>
  ok && /^application\/json\b/i.test(headers.get('content-type')?.trim() ?? '')

/**
 * A fetch that the library uses for the metadata of an issuer and its authorization server. The fetch has its own size
 * limit and uses the exact address. The fetch keeps only the members that the wallet uses, because the library refuses
 * a whole document for one invalid entry.
 *
 * @param issuer credential issuer identifier; this installation's own metadata is read without HTTP.
 * @param offered ids of the offered configurations; all others are ignored
 * @param onIssuer receives the whole metadata of the issuer
 */
export function metadataFetch(
  { config, ownMetadata }: OwnMetadata,
  fetch: OutboundFetch,
  issuer: string,
  offered: readonly string[],
  onIssuer: (document: unknown) => void = () => {},
): Fetch {
  const isOwn = issuer === config.issuerBaseUrl
  const exact = atExactAddress(fetch, issuer)
  const ids = new Set(offered)
  return async (input, init) => {
    const url = String(input)
    const isIssuer = url.includes(ISSUER)
    if (!isIssuer && !SERVERS.some((name) => url.includes(name))) return fetch(input, init)
    const cut = (document: unknown) => {
      if (!isIssuer) return usedServerMembers(document)
      onIssuer(document)
      return usedIssuerMembers(document, ids)
    }
    if (isOwn) return json(cut(JSON.parse(await ownMetadata(isIssuer ? 'issuer' : 'authorization server'))))
    const answer = await exact(input, { ...init, maxBytes: MAX_METADATA_BYTES })
    return isJson(answer) ? json(cut(await answer.json()), answer.status) : answer
  }
}
