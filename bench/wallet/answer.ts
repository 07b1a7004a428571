import { createHash } from 'node:crypto'
import { type EncryptionJwk, encryptTo } from './encrypt.js'
import type { BenchWallet } from './wallet.js'

/** The part of a request that this wallet answers. */
interface Request {
  readonly nonce: string
  readonly dcql_query: { readonly credentials: readonly { readonly id: string; readonly format: string }[] }
  readonly client_metadata: { readonly jwks: { readonly keys: readonly EncryptionJwk[] } }
}

interface RequestObject extends Request {
  readonly client_id: string
  readonly state: string
  readonly response_uri: string
}

/** An SD-JWT VC and the wallet whose key it is bound to. */
export interface HeldCredential {
  readonly wallet: BenchWallet
  /** With the disclosures that are shown, ending in `~`. */
  readonly sdJwt: string
}

const payloadOf = (jwt: string): unknown => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())

/**
 * An encrypted answer with a Key Binding JWT of this moment. The wallet trusts the verifier: what a signature costs it is no cost of
 * the service.
 */
function encryptedAnswer(request: Request, { wallet, sdJwt }: HeldCredential, aud: string, state?: string): string {
  const query = request.dcql_query.credentials.find(({ format }) => format === 'dc+sd-jwt')
  const [key] = request.client_metadata.jwks.keys
  if (query === undefined || key === undefined) throw new Error('The request asks for no SD-JWT VC, or in the clear.')
  const binding = {
    iat: Math.floor(Date.now() / 1000),
    aud,
    nonce: request.nonce,
    sd_hash: createHash('sha256').update(sdJwt).digest('base64url'),
  }
  const presentation = `${sdJwt}${wallet.sign({ typ: 'kb+jwt' }, binding)}`
  return encryptTo(key, { vp_token: { [query.id]: [presentation] }, ...(state === undefined ? {} : { state }) })
}

/**
 * The answer to a request object by direct_post.jwt (OpenID4VP 1.0 §8.3.1).
 *
 * @returns path and form of the POST
 */
export function answerTo(requestObject: string, held: HeldCredential): { path: string; response: string } {
  const request = payloadOf(requestObject) as RequestObject
  const { client_id: audience, state, response_uri: uri } = request
  const { pathname, search } = new URL(uri)
  return { path: `${pathname}${search}`, response: encryptedAnswer(request, held, audience, state) }
}

/** A signed request over the Digital Credentials API, or the answer to one. */
export interface DigitalCredential {
  readonly protocol: string
  readonly data: Readonly<Record<string, unknown>>
}

/** What a browser gives a page of an origin for its signed request (OpenID4VP 1.0 Appendix A). */
export function answerInBrowser(
  { protocol, data }: DigitalCredential,
  held: HeldCredential,
  origin: string,
): DigitalCredential {
  const request = payloadOf(String(data.request)) as Request
  return { protocol, data: { response: encryptedAnswer(request, held, `origin:${origin}`) } }
}
