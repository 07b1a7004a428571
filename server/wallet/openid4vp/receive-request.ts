import { errors } from '../../api/errors.js'
import { type DecodedJws, decodeCompact, JwsError } from '../../protocol/jose/jws.js'
import type { JsonObject } from '../../protocol/json/json-object.js'
import { parsedJson } from '../exchange/failure.js'
import { WalletError } from '../exchange/wallet-error.js'
import type { RequestInvitation } from '../invitations/invitation.js'
import type { FetchRequestObject } from './fetch-request-object.js'
import { profileOf } from './profiles/profiles.js'

/** Parameters that are JSON in an address (OpenID4VP 1.0 §5.1). */
const JSON_PARAMETERS: ReadonlySet<string> = new Set([
  'dcql_query',
  'presentation_definition',
  'client_metadata',
  'transaction_data',
  'verifier_info',
])

/** An authorization request before its sender is authenticated. */
export interface ReceivedRequest {
  readonly parameters: JsonObject
  /** The request object with the parameters; undefined if the address contains the parameters. */
  readonly signed: DecodedJws | undefined
}

/**
 * Reads a signed request by reference or by value, otherwise the parameters of the address (OpenID4VP 1.0 §5).
 *
 * @throws 400 for an address that holds no valid request; WalletError.
 */
export async function receiveRequest(
  fetchRequestObject: FetchRequestObject,
  fetch: typeof globalThis.fetch,
  address: RequestInvitation['params'],
): Promise<ReceivedRequest> {
  const { client_id: clientId, request, request_uri: requestUri } = address
  if (request === undefined && requestUri === undefined) return { parameters: inAddress(address), signed: undefined }
  // RFC 9101 §5: `request` or `request_uri`, never both.
  if (request !== undefined && requestUri !== undefined) {
    throw new WalletError('The authorization request has both request and request_uri.')
  }
  if (clientId === undefined) throw new WalletError('The authorization request has no client_id.')
  if (requestUri === undefined) return signedRequest(String(request), address)
  const { compact, walletNonce } = await fetchRequestObject(fetch, requestUri, address)
  return signedRequest(compact, address, walletNonce)
}

function inAddress(address: RequestInvitation['params']): JsonObject {
  const entries = Object.entries(address).map(([name, text]) => {
    const value = JSON_PARAMETERS.has(name) ? parsedJson(text) : text
    // The caller sent these parameters: nothing was fetched.
    if (value === undefined) throw errors.badRequest(`${name} must be JSON`)
    return [name, value] as const
  })
  return Object.fromEntries(entries)
}

/** All parameters outside the request object are ignored (RFC 9101 §6.3). */
function signedRequest(compact: string, address: RequestInvitation['params'], walletNonce?: string): ReceivedRequest {
  const signed = decoded(compact)
  const { payload: parameters } = signed
  // RFC 9101 §5.2, OpenID4VP 1.0 §5.10.1
  for (const name of profileOf(parameters).addressed) {
    if (address[name] !== undefined && address[name] !== parameters[name]) {
      throw new WalletError(`The authorization request has another ${name} than its address.`)
    }
  }
  if (parameters.wallet_nonce !== walletNonce) {
    throw new WalletError('The authorization request does not contain the wallet_nonce that the wallet sent.')
  }
  return { parameters, signed }
}

function decoded(compact: string): DecodedJws {
  try {
    return decodeCompact(compact)
  } catch (thrown) {
    if (!(thrown instanceof JwsError)) throw thrown
    throw new WalletError('The authorization request is not a signed request object.', { cause: thrown })
  }
}
