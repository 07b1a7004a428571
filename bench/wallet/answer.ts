import { createHash } from 'node:crypto'
import { type EncryptionJwk, encryptTo } from './encrypt.js'
import type { BenchWallet } from './wallet.js'

/** The part of a request that this wallet answers. */
interface Request {
  readonly nonce: string
  readonly dcql_query: { readonly credentials: readonly { readonly id: string; readonly format: string }[] }
  readonly client_metadata: { readonly jwks: { readonly keys: readonly EncryptionJwk[] } }
}

export interface RequestObject extends Request {
  readonly client_id: string
  readonly state: string
  readonly response_uri: string
}

/** An SD-JWT VC and the wallet whose key it is bound to. */
export interface HeldCredential {
  readonly wallet: BenchWallet
  /** The SD-JWT with the chosen disclosures. It ends with `~`. */
  readonly sdJwt: string
}

const payloadOf = (jwt: string): unknown => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())

/**
 * Reads the payload of a request object. The wallet does not check the signature, because the cost of this check is not
 * a cost of the service.
 */
export const readRequestObject = (requestObject: string): RequestObject => payloadOf(requestObject) as RequestObject

/** Finds the credential query for a format, and the key with which the answer must be encrypted. */
export function queried(request: Request, format: string): { readonly id: string; readonly key: EncryptionJwk } {
  const query = request.dcql_query.credentials.find((each) => each.format === format)
  const [key] = request.client_metadata.jwks.keys
  if (query === undefined || key === undefined) throw new Error(`The request asks for no ${format}, or in the clear.`)
  return { id: query.id, key }
}

/** Encrypts the answer to a request object by direct_post.jwt, with a presentation. */
export function answered(
  { state, response_uri: uri }: RequestObject,
  { id, key }: ReturnType<typeof queried>,
  presentation: string,
): { path: string; response: string } {
  const { pathname, search } = new URL(uri)
  return { path: `${pathname}${search}`, response: encryptTo(key, { vp_token: { [id]: [presentation] }, state }) }
}

/** An SD-JWT VC with a new Key Binding JWT. */
function bound({ nonce }: Request, { wallet, sdJwt }: HeldCredential, aud: string): string {
  const binding = {
    iat: Math.floor(Date.now() / 1000),
    aud,
    nonce,
    sd_hash: createHash('sha256').update(sdJwt).digest('base64url'),
  }
  return `${sdJwt}${wallet.sign({ typ: 'kb+jwt' }, binding)}`
}

/**
 * Makes the answer to a request object by direct_post.jwt (OpenID4VP 1.0 §8.3.1).
 *
 * @returns the path and the form fields of the POST
 */
export function answerTo(requestObject: string, held: HeldCredential): { path: string; response: string } {
  const request = readRequestObject(requestObject)
  return answered(request, queried(request, 'dc+sd-jwt'), bound(request, held, request.client_id))
}

/** A signed request over the Digital Credentials API, or the answer to a request. */
export interface DigitalCredential {
  readonly protocol: string
  readonly data: Readonly<Record<string, unknown>>
}

/** Makes the response that a browser gives to a page for the page's signed request (OpenID4VP 1.0 Appendix A). */
export function answerInBrowser(
  { protocol, data }: DigitalCredential,
  held: HeldCredential,
  origin: string,
): DigitalCredential {
  const request = payloadOf(String(data.request)) as Request
  const { id, key } = queried(request, 'dc+sd-jwt')
  const response = encryptTo(key, { vp_token: { [id]: [bound(request, held, `origin:${origin}`)] } })
  return { protocol, data: { response } }
}
