import {
  type CreateOpenid4vpAuthorizationResponseOptions,
  createOpenid4vpAuthorizationResponse,
  submitOpenid4vpAuthorizationResponse,
} from '@openid4vc/openid4vp'
import { type Jwk, JwsError, thumbprint } from '../../protocol/jose/jws.js'
import { isObject, type JsonObject, objectOf } from '../../protocol/json/json-object.js'
import { isForeignRedirectUri } from '../../protocol/oauth/redirect-uri.js'
import { libraryJwk } from '../exchange/libraries.js'
import { WalletError } from '../exchange/wallet-error.js'
import { presentationCallbacks } from './callbacks.js'
import type { PresentationRequest } from './presentation-request.js'
import { RESPONSE_ENCRYPTION } from './wallet-metadata.js'

type Payload = PresentationRequest['payload']

/** The library's type lacks error responses, which have no `vp_token`. */
type LibraryParameters = CreateOpenid4vpAuthorizationResponseOptions['authorizationResponsePayload']

/**
 * The key that encrypts an answer (OpenID4VP 1.0 §8.3). Keys for a supported algorithm come first, and among these keys
 * a key that is marked for encryption.
 *
 * @returns undefined if the answer is not encrypted, and if the request holds no keys.
 * @throws WalletError for a key of an unknown kind.
 */
export function encryptionKeyOf({ response_mode: mode, client_metadata: metadata }: Payload): Jwk | undefined {
  if (mode !== 'direct_post.jwt') return undefined
  const { keys } = objectOf(objectOf(metadata).jwks)
  const sent: readonly Jwk[] = Array.isArray(keys) ? keys.filter(isObject) : []
  const known = sent.filter(({ alg }) =>
    RESPONSE_ENCRYPTION.authorization_encryption_alg_values_supported.some((one) => one === alg),
  )
  const usable = known.length === 0 ? sent : known
  const key = usable.find(({ use }) => use === 'enc') ?? usable.find(({ use }) => use !== 'sig') ?? sent[0]
  if (key !== undefined) assertKnown(key)
  return key
}

function assertKnown(key: Jwk): void {
  try {
    thumbprint(key)
  } catch (thrown) {
    if (!(thrown instanceof JwsError)) throw thrown
    throw new WalletError('The answer cannot be encrypted to the key that the authorization request has for it.', {
      cause: thrown,
    })
  }
}

/** Sends the response and returns the verifier's answer. */
export type Send = () => Promise<Response>

/**
 * Makes an authorization response (OpenID4VP 1.0 §8), or an error response (§8.5). The response is encrypted if the
 * request asks for encryption.
 *
 * @param encrypted whether the response is encrypted; by default as the request asks
 * @returns the function that sends the response to the response_uri
 * @throws an error of the library if the response cannot be encrypted as requested
 */
export async function responseFor(
  random: (length: number) => Uint8Array,
  fetch: typeof globalThis.fetch,
  payload: Payload,
  parameters: JsonObject,
  encrypted = payload.response_mode === 'direct_post.jwt',
): Promise<Send> {
  const callbacks = presentationCallbacks(fetch)
  const key = encrypted ? encryptionKeyOf(payload) : undefined
  const { authorizationResponsePayload, jarm } = await createOpenid4vpAuthorizationResponse({
    authorizationRequestPayload: encrypted ? payload : { ...payload, response_mode: 'direct_post' },
    authorizationResponsePayload: parameters as LibraryParameters,
    callbacks,
    ...(encrypted
      ? {
          jarm: {
            encryption: {
              nonce: Buffer.from(random(16)).toString('base64url'),
              ...(key === undefined ? {} : { jwk: libraryJwk(key) }),
            },
            serverMetadata: { authorization_signing_alg_values_supported: [], ...RESPONSE_ENCRYPTION },
          },
        }
      : {}),
  })
  return async () => {
    const { response } = await submitOpenid4vpAuthorizationResponse({
      authorizationRequestPayload: payload,
      authorizationResponsePayload,
      callbacks,
      ...(jarm === undefined ? {} : { jarm: { responseJwt: jarm.responseJwt } }),
    })
    return response
  }
}

/**
 * The address where the holder continues (OpenID4VP 1.0 §8.2), from a verifier's answer. The result is never an address
 * that a browser would execute, or treat as part of its own page.
 */
export function redirectUriOf(body: string): string | undefined {
  let redirectUri: unknown
  try {
    redirectUri = (JSON.parse(body) as { redirect_uri?: unknown } | null)?.redirect_uri
  } catch {
    return undefined
  }
  return typeof redirectUri === 'string' && isForeignRedirectUri(redirectUri) ? redirectUri : undefined
}
