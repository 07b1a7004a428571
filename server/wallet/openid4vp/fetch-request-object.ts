import { mediaTypeOf } from '../../protocol/credential/verification.js'
import { decodeCompactJwe, decryptEcdhEs, generateP256, JweError } from '../../protocol/jose/ecdh-es.js'
import { type Jwk, publicJwkOf, thumbprint } from '../../protocol/jose/jws.js'
import type { JsonObject } from '../../protocol/json/json-object.js'
import { REQUEST_OBJECT_MEDIA_TYPE } from '../../protocol/openid4vp/request-object.js'
import { WalletError } from '../exchange/wallet-error.js'
import { profileOf } from './profiles/profiles.js'
import { type WalletMetadataPorts, walletMetadata } from './wallet-metadata.js'

const COMPACT_JWS = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/
/** With direct key agreement, the second part, the encrypted key, is empty. */
const COMPACT_JWE = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+){3}$/

/** `cty` of an encrypted request object (RFC 7519 §5.2). Some verifiers leave `cty` out. */
const NESTED: ReadonlySet<string | undefined> = new Set([undefined, 'jwt', 'oauth-authz-req+jwt'])

export interface RequestObject {
  readonly compact: string
  /**
   * The value that the verifier must repeat in the request object (OpenID4VP 1.0 §5.10.1); absent after a GET.
   */
  readonly walletNonce?: string
}

/** Dependencies of {@link createFetchRequestObject}. */
export interface FetchRequestObjectPorts extends WalletMetadataPorts {
  readonly random: (length: number) => Uint8Array
}

/**
 * Fetches a request object (OpenID4VP 1.0 §5.10) by GET or by POST. A POST has a nonce against replay, and a key to encrypt this one
 * request object. An unencrypted request object is also accepted, because verifiers may ignore the key.
 *
 * @param address the parameters in the address of the request, including `request_uri`.
 */
export type FetchRequestObject = ReturnType<typeof createFetchRequestObject>

/** Creates {@link FetchRequestObject} from its dependencies. */
export function createFetchRequestObject({ random, config, formats }: FetchRequestObjectPorts) {
  return async (fetch: typeof globalThis.fetch, uri: string, address: JsonObject): Promise<RequestObject> => {
    const { request_uri_method: method = 'get' } = address
    if (method !== 'get' && method !== 'post') {
      throw new WalletError('The authorization request has a request_uri_method that is neither get nor post.')
    }
    if (method === 'get') return { compact: signedRequestIn(await textAt(fetch, uri, {})) }
    const key = requestKey()
    const walletNonce = Buffer.from(random(16)).toString('base64url')
    const profile = profileOf(address)
    const metadata = profile.walletMetadataOf(walletMetadata({ config, formats }, profile, publicJwkOf(key)), formats)
    const body = new URLSearchParams({ wallet_metadata: JSON.stringify(metadata), wallet_nonce: walletNonce })
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const text = await textAt(fetch, uri, { method: 'POST', headers, body: body.toString() })
    return { compact: signedRequestIn(COMPACT_JWE.test(text) ? decrypted(text, key) : text), walletNonce }
  }
}

function requestKey(): Jwk {
  const privateJwk = generateP256()
  return { ...privateJwk, kid: thumbprint(privateJwk), use: 'enc', alg: 'ECDH-ES' }
}

async function textAt(fetch: typeof globalThis.fetch, uri: string, init: RequestInit): Promise<string> {
  const response = await fetch(uri, { ...init, headers: { ...init.headers, accept: REQUEST_OBJECT_MEDIA_TYPE } })
  if (!response.ok) throw new WalletError(`The authorization request cannot be fetched: status ${response.status}.`)
  return (await response.text()).trim()
}

/** Encryption does not authenticate a sender: the content must be signed. */
function signedRequestIn(text: string): string {
  if (COMPACT_JWS.test(text)) return text
  throw new WalletError('The authorization request is not a signed request object.')
}

/** RFC 9101 §6.1: the JWE must use the key of this fetch, by its `kid`, and only the advertised algorithm. */
function decrypted(text: string, privateJwk: Jwk): string {
  try {
    const jwe = decodeCompactJwe(text)
    const { kid, cty } = jwe.header
    if (kid !== privateJwk.kid) {
      throw new WalletError('The authorization request is not encrypted for the key of the wallet.')
    }
    if (!NESTED.has(mediaTypeOf(cty))) throw new WalletError('The encrypted authorization request holds no JWT.')
    return Buffer.from(decryptEcdhEs(jwe, privateJwk)).toString('utf8')
  } catch (thrown) {
    if (!(thrown instanceof JweError)) throw thrown
    throw new WalletError('The authorization request cannot be decrypted.', { cause: thrown })
  }
}
