import { createHash } from 'node:crypto'
import { type EncryptionJwk, encryptTo } from './encrypt.js'
import type { BenchWallet } from './wallet.js'

/** The part of a request object that this wallet answers. */
interface RequestObject {
  readonly client_id: string
  readonly nonce: string
  readonly state: string
  readonly response_uri: string
  readonly dcql_query: { readonly credentials: readonly { readonly id: string; readonly format: string }[] }
  readonly client_metadata: { readonly jwks: { readonly keys: readonly EncryptionJwk[] } }
}

/** An SD-JWT VC and the wallet whose key it is bound to. */
export interface HeldCredential {
  readonly wallet: BenchWallet
  /** With the disclosures that are shown, ending in `~`. */
  readonly sdJwt: string
}

/**
 * The answer to a request object by direct_post.jwt (OpenID4VP 1.0 §8.3.1) with a Key Binding JWT of this moment. The wallet
 * trusts the verifier: what a signature costs it is no cost of the service.
 *
 * @returns path and form of the POST
 */
export function answerTo(requestObject: string, { wallet, sdJwt }: HeldCredential): { path: string; response: string } {
  const payload = requestObject.split('.')[1] ?? ''
  const request: RequestObject = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const query = request.dcql_query.credentials.find(({ format }) => format === 'dc+sd-jwt')
  const [key] = request.client_metadata.jwks.keys
  if (query === undefined || key === undefined) throw new Error('The request asks for no SD-JWT VC, or in the clear.')
  const binding = {
    iat: Math.floor(Date.now() / 1000),
    aud: request.client_id,
    nonce: request.nonce,
    sd_hash: createHash('sha256').update(sdJwt).digest('base64url'),
  }
  const presentation = `${sdJwt}${wallet.sign({ typ: 'kb+jwt' }, binding)}`
  return {
    path: new URL(request.response_uri).pathname,
    response: encryptTo(key, { vp_token: { [query.id]: [presentation] }, state: request.state }),
  }
}
