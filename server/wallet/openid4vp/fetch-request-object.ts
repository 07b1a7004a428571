import type { Deps } from '../../deps.js'
import type { Formats } from '../../formats/registry.js'
import { SIGNATURE_ALGORITHMS } from '../../protocol/jose/algorithms.js'
import { vpFormatsSupported } from '../../protocol/openid4vp/vp-formats.js'
import { WalletError } from '../protocol/wallet-error.js'

const REQUEST_OBJECT_TYPE = 'application/oauth-authz-req+jwt'
const COMPACT_JWS = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/

export const CLIENT_ID_PREFIXES = ['decentralized_identifier', 'redirect_uri', 'x509_san_dns', 'x509_hash'] as const

/** What this wallet encrypts its responses with (OpenID4VP 1.0 §8.3). */
export const RESPONSE_ENCRYPTION = {
  authorization_encryption_alg_values_supported: ['ECDH-ES', 'ECDH-ES+A256KW', 'RSA-OAEP-256'],
  authorization_encryption_enc_values_supported: ['A256GCM', 'A128GCM', 'A128CBC-HS256', 'A256CBC-HS512'],
}

/** What the wallet tells a verifier of itself (OpenID4VP 1.0 §10.1): nothing of its holder. */
const walletMetadata = (formats: Formats) => ({
  response_types_supported: ['vp_token'],
  response_modes_supported: ['direct_post', 'direct_post.jwt'],
  client_id_prefixes_supported: CLIENT_ID_PREFIXES,
  request_object_signing_alg_values_supported: SIGNATURE_ALGORITHMS,
  vp_formats_supported: vpFormatsSupported(formats.all, SIGNATURE_ALGORITHMS, ['ES256']),
  ...RESPONSE_ENCRYPTION,
})

export interface RequestObject {
  readonly compact: string
  /**
   * What the verifier must repeat in the request object (OpenID4VP 1.0 §5.10.1); absent where it was fetched by GET.
   */
  readonly walletNonce?: string
}

/** Fetches a request object (OpenID4VP 1.0 §5.10): by GET, or by POST with a nonce against its replay. */
export async function fetchRequestObject(
  deps: Pick<Deps, 'formats' | 'random'>,
  fetch: typeof globalThis.fetch,
  uri: string,
  method: string | undefined,
): Promise<RequestObject> {
  if (method !== undefined && method !== 'get' && method !== 'post') {
    throw new WalletError('The authorization request has a request_uri_method that is neither get nor post.')
  }
  const headers = { accept: REQUEST_OBJECT_TYPE }
  const walletNonce = method === 'post' ? Buffer.from(deps.random(16)).toString('base64url') : undefined
  const response =
    walletNonce === undefined
      ? await fetch(uri, { headers })
      : await fetch(uri, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
          body: new URLSearchParams({
            wallet_metadata: JSON.stringify(walletMetadata(deps.formats)),
            wallet_nonce: walletNonce,
          }).toString(),
        })
  if (!response.ok) throw new WalletError(`The authorization request cannot be had: status ${response.status}.`)
  const compact = (await response.text()).trim()
  if (!COMPACT_JWS.test(compact)) throw new WalletError('The authorization request is not a signed request object.')
  return { compact, ...(walletNonce === undefined ? {} : { walletNonce }) }
}
