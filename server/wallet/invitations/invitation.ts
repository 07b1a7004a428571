import { errors } from '../../api/errors.js'
import { decodeCompact, JwsError } from '../../protocol/jose/jws.js'
import { WalletError } from '../exchange/wallet-error.js'

/** A credential offer: by value, or by the address that serves it (OpenID4VCI 1.0 §4.1.2, §4.1.3). */
export type OfferInvitation =
  /** `servedBy`: the host that served the value; absent if the content itself held the value. */
  | { readonly kind: 'offer'; readonly value: string; readonly servedBy?: string }
  | { readonly kind: 'offer'; readonly uri: string }

/** Parameters of an authorization request in an address (OpenID4VP 1.0 §5). */
export interface RequestInvitation {
  readonly kind: 'request'
  readonly params: Readonly<Record<string, string>>
}

/** An address without parameters. Only the content of the address shows whether it is an offer or a request. */
export interface ReferenceInvitation {
  readonly kind: 'reference'
  readonly url: string
}

export type Invitation = OfferInvitation | RequestInvitation

const REQUEST_PARAMETERS = ['request_uri', 'request', 'dcql_query', 'response_type', 'presentation_definition']

/** Refuses repeated parameters: one of two values could pass a check and the other could be used (RFC 6749 §3.1). */
function parametersOf(query: URLSearchParams): Record<string, string> {
  const params: Record<string, string> = Object.create(null)
  for (const [name, value] of query) {
    if (name in params) throw errors.badRequest(`The parameter ${name} is given more than once.`)
    params[name] = value
  }
  return params
}

const isWebAddress = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text)

function offerOf(params: Readonly<Record<string, string>>): OfferInvitation {
  const { credential_offer: value, credential_offer_uri: uri } = params
  // OpenID4VCI 1.0 §4.1: exactly one of the two parameters.
  if (value !== undefined && uri !== undefined)
    throw errors.badRequest('The offer must have exactly one of credential_offer and credential_offer_uri.')
  if (value !== undefined) return { kind: 'offer', value }
  if (uri === undefined) throw errors.badRequest('The offer has neither credential_offer nor credential_offer_uri.')
  if (!isWebAddress(uri)) throw errors.badRequest('credential_offer_uri must be an https address')
  return { kind: 'offer', uri }
}

function isSignedRequest(request: string): boolean {
  try {
    decodeCompact(request)
    return true
  } catch (thrown) {
    if (thrown instanceof JwsError) return false
    throw thrown
  }
}

/** RFC 9101 §5: a client identifier, and the request: by reference, by value or in its own parameters. */
function requestOf(params: Readonly<Record<string, string>>): RequestInvitation {
  const { client_id: clientId, request, request_uri: requestUri } = params
  if (clientId === undefined) throw errors.badRequest('The authorization request has no client_id.')
  if (!REQUEST_PARAMETERS.some((name) => params[name] !== undefined))
    throw errors.badRequest(`The authorization request has none of ${REQUEST_PARAMETERS.join(', ')}.`)
  if (request !== undefined && requestUri !== undefined)
    throw errors.badRequest('The authorization request has both request and request_uri.')
  if (request !== undefined && !isSignedRequest(request)) throw errors.badRequest('request must be a signed JWT')
  if (requestUri !== undefined && !isWebAddress(requestUri))
    throw errors.badRequest('request_uri must be an https address')
  // OpenID4VP 1.0 §5.6: if the parameters of the request are in the address itself and not in a request object, the
  // response type must ask for a presentation.
  const asksInPlace = request === undefined && requestUri === undefined
  if (asksInPlace && params.response_type?.split(' ').includes('vp_token') !== true)
    throw errors.badRequest('response_type must have vp_token')
  return { kind: 'request', params }
}

function ofWebAddress(url: URL): Invitation | ReferenceInvitation | undefined {
  const names = [...url.searchParams.keys()]
  if (names.includes('credential_offer') || names.includes('credential_offer_uri')) {
    return offerOf(parametersOf(url.searchParams))
  }
  if (names.includes('client_id') && names.some((name) => REQUEST_PARAMETERS.includes(name))) {
    return requestOf(parametersOf(url.searchParams))
  }
  return { kind: 'reference', url: url.href }
}

/**
 * Reads the content of a QR code or link: `openid-credential-offer://` (in HAIP `haip-vci://`), `openid4vp://` (in HAIP
 * `haip-vp://`), or an https address of either. Wallets' schemes are also read without `//`, as some issuers write them.
 *
 * @param allowHttp whether http addresses are accepted like https addresses.
 * @returns undefined for any other content.
 * @throws 400 for content that breaks a rule, such as a repeated parameter.
 */
export function readInvitation(content: string, allowHttp: boolean): Invitation | ReferenceInvitation | undefined {
  // URL parsers ignore white space around an address, which copied text often has.
  const [, name, slashes] = /^\s*([a-z][a-z0-9+.-]*):(\/\/)?/i.exec(content) ?? []
  if (name === undefined || !URL.canParse(content)) return undefined
  const scheme = name.toLowerCase()
  const url = new URL(content)
  if (scheme === 'openid-credential-offer' || scheme === 'haip-vci') return offerOf(parametersOf(url.searchParams))
  if (scheme === 'openid4vp' || scheme === 'haip-vp') return requestOf(parametersOf(url.searchParams))
  if (slashes === undefined) return undefined
  return scheme === 'https' || (scheme === 'http' && allowHttp) ? ofWebAddress(url) : undefined
}

const COMPACT_JWS = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/

function clientIdIn(requestObject: string): string | undefined {
  const [, payload = ''] = requestObject.split('.')
  try {
    const { client_id: clientId } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) ?? {}
    return typeof clientId === 'string' ? clientId : undefined
  } catch {
    return undefined
  }
}

/**
 * Fetches an address without parameters: a credential offer (JSON) or a signed request object (JWT). A request object
 * contains its client identifier, and is verified like any other request object.
 *
 * @throws WalletError if the address serves neither an offer nor a request, OutboundError if the fetch fails.
 */
export async function followReference(
  fetch: typeof globalThis.fetch,
  { url }: ReferenceInvitation,
): Promise<Invitation> {
  const response = await fetch(url, { headers: { accept: 'application/oauth-authz-req+jwt, application/json' } })
  const body = (await response.text()).trim()
  const { host } = new URL(url)
  if (!response.ok) throw new WalletError(`${host} answered with status ${response.status}.`)
  const clientId = COMPACT_JWS.test(body) ? clientIdIn(body) : undefined
  if (clientId !== undefined) return { kind: 'request', params: { client_id: clientId, request: body } }
  if (body.startsWith('{')) return { kind: 'offer', value: body, servedBy: host }
  throw servesNeither(host)
}

/** The error for an address that serves neither an offer nor a request. */
export const servesNeither = (host: string) =>
  new WalletError(`${host} serves neither a credential offer nor an authorization request.`)

/**
 * Reads an invitation, and fetches its content if necessary.
 *
 * @param allowHttp whether http addresses are accepted like https addresses.
 * @throws 400 if the content is not an invitation.
 */
export async function resolveInvitation(
  fetch: typeof globalThis.fetch,
  content: string,
  allowHttp: boolean,
): Promise<Invitation> {
  const invitation = readInvitation(content, allowHttp)
  if (invitation === undefined) throw errors.unknownUriProtocol()
  return invitation.kind === 'reference' ? followReference(fetch, invitation) : invitation
}
