import {
  isOpenid4vpAuthorizationRequestDcApi,
  type Openid4vpAuthorizationRequest,
  type Openid4vpClient,
  type ResolvedOpenid4vpAuthorizationRequest,
} from '@openid4vc/openid4vp'
import type { Deps } from '../../deps.js'
import { errors } from '../../errors.js'
import type { RequestInvitation } from '../protocol/invitation.js'
import { presentationClient } from '../protocol/library-clients.js'
import { WalletError } from '../protocol/wallet-error.js'
import { CLIENT_ID_PREFIXES, fetchRequestObject } from './fetch-request-object.js'
import { parseQuery } from './match-query.js'
import type { PresentationRequest } from './presentation-request.js'
import { RefusedRequest, UnconfirmedTransaction } from './refused-request.js'
import { tellVerifier } from './tell-verifier.js'
import { readTransactionData } from './transaction-data.js'

const FIRST_WITH_ARRAYS = 26

const SUPPORTED: ReadonlySet<string> = new Set(CLIENT_ID_PREFIXES)

/** Who answers for the holder. */
export interface Confirmation {
  /** Whether a person is shown the request, with its transaction data, before it is answered. */
  readonly personConfirms: boolean
}

/** @throws 400 for parameters that make no request. */
function parsedParameters(client: Openid4vpClient, params: RequestInvitation['params']) {
  try {
    const address = `openid4vp://?${new URLSearchParams(params)}`
    return client.parseOpenid4vpAuthorizationRequest({ authorizationRequest: address })
  } catch {
    // They are the caller's own: nothing was fetched for them.
    throw errors.unknownUriProtocol()
  }
}

/** A signed request by reference or by value, else the parameters themselves (OpenID4VP 1.0 §5). */
async function resolved(
  deps: Deps,
  fetch: typeof globalThis.fetch,
  client: Openid4vpClient,
  params: RequestInvitation['params'],
): Promise<ResolvedOpenid4vpAuthorizationRequest> {
  const { client_id: clientId, request, request_uri: requestUri, request_uri_method: method } = params
  if (request === undefined && requestUri === undefined) {
    const parsed = parsedParameters(client, params)
    if (parsed.params.client_metadata_uri !== undefined) throw new WalletError('client_metadata_uri is not supported.')
    return client.resolveOpenId4vpAuthorizationRequest({ authorizationRequestPayload: parsed.params })
  }
  // RFC 9101 §5: one or the other.
  if (request !== undefined && requestUri !== undefined) {
    throw new WalletError('The authorization request has both request and request_uri.')
  }
  if (clientId === undefined) throw new WalletError('The authorization request has no client_id.')
  const fetched = requestUri === undefined ? undefined : await fetchRequestObject(deps, fetch, requestUri, method)
  // By value from here on: all other parameters beside it are ignored (RFC 9101 §6.3).
  return client.resolveOpenId4vpAuthorizationRequest({
    authorizationRequestPayload: { client_id: clientId, request: fetched?.compact ?? request },
    ...(fetched?.walletNonce === undefined ? {} : { wallet: { expectedNonce: fetched.walletNonce } }),
  })
}

function responseUriOf(payload: Openid4vpAuthorizationRequest): string {
  const { response_mode: mode, response_uri: responseUri, redirect_uri: redirectUri } = payload
  if (mode !== 'direct_post' && mode !== 'direct_post.jwt') {
    throw new WalletError('The response_mode is none that a hosted wallet can use: direct_post or direct_post.jwt.')
  }
  // OpenID4VP 1.0 §8.2: never both; of two addresses one could pass the check of the client identifier, and the other
  // be used.
  if (responseUri === undefined || redirectUri !== undefined) {
    throw new WalletError('The authorization request must have a response_uri and no redirect_uri.')
  }
  return responseUri
}

/**
 * Resolves and checks an authorization request (OpenID4VP 1.0 §5): who sends it, by its client identifier prefix, that
 * the response goes where that prefix allows, and that it asks in a way that a wallet without a user in front of it may
 * answer.
 *
 * The verifier is told why its request is refused (§8.5), once it is known who that is.
 *
 * @throws WalletError, or an error of the library, with the reason.
 */
export async function resolveRequest(
  deps: Deps,
  fetch: typeof globalThis.fetch,
  { params }: RequestInvitation,
  { personConfirms }: Confirmation,
): Promise<PresentationRequest> {
  const client = presentationClient(deps, { fetch, signers: [] })
  const request = await resolved(deps, fetch, client, params)
  const payload = request.authorizationRequestPayload
  if (isOpenid4vpAuthorizationRequestDcApi(payload)) {
    throw new WalletError('A request of the Digital Credentials API is answered by the browser that carries it.')
  }
  // OpenID4VP 1.0 §5.9.2: a client identifier without a prefix names a pre-registered client, and there are none.
  if (!SUPPORTED.has(request.client.prefix)) {
    throw new WalletError(`Verifiers of the kind ${request.client.prefix} are not known to this wallet.`)
  }
  const responseUri = responseUriOf(payload)
  try {
    return {
      payload,
      clientId: request.client.effective,
      ...accepted(deps, request, personConfirms),
      responseUri,
      singlePresentations: request.version < FIRST_WITH_ARRAYS,
    }
  } catch (thrown) {
    // Only now: who cannot be relied on to be who they say is told nothing.
    if (thrown instanceof RefusedRequest) await tellVerifier(deps, fetch, responseUri, payload, thrown.error)
    throw thrown
  }
}

/** @throws RefusedRequest for what a hosted wallet does not answer, whatever it holds. */
function accepted(
  { formats }: Pick<Deps, 'formats'>,
  { dcql, authorizationRequestPayload: payload }: ResolvedOpenid4vpAuthorizationRequest,
  personConfirms: boolean,
): Pick<PresentationRequest, 'query' | 'transactionData'> {
  if (dcql === undefined) throw new RefusedRequest('invalid_request', 'The authorization request has no dcql_query.')
  // §8.4: whoever authorizes them must have seen them.
  if (payload.transaction_data !== undefined && !personConfirms) throw new UnconfirmedTransaction()
  const query = payload.dcql_query as Record<string, unknown>
  return { query, transactionData: readTransactionData(payload, parseQuery(formats, query)) }
}
