import type { Openid4vpAuthorizationRequest } from '@openid4vc/openid4vp'
import { z } from 'zod'
import type { Config } from '../../config/config.js'
import type { Formats } from '../../formats/registry.js'
import type { JsonObject } from '../../protocol/json/json-object.js'
import type { Work } from '../../protocol/work.js'
import { WalletError } from '../exchange/wallet-error.js'
import type { RequestInvitation } from '../invitations/invitation.js'
import { admission, registrationFault } from '../registration/admit.js'
import type { PartyRegistration } from '../registration/registration.contract.js'
import type { VerifierRegistration } from '../registration/verifier-registration.js'
import type { AuthenticateVerifier } from './authenticate-verifier.js'
import { parseQuery } from './match-query.js'
import type { PresentationRequest } from './presentation-request.js'
import type { ClaimedVerifier, Profile } from './profiles/profile.js'
import { profileOf } from './profiles/profiles.js'
import type { ReceivedRequest } from './receive-request.js'
import { RefusedRequest, UnconfirmedRegistration, UnconfirmedTransaction } from './refused-request.js'
import type { TellVerifier } from './tell-verifier.js'
import { readTransactionData } from './transaction-data.js'

/** How the answer to a request is decided. */
export interface Confirmation {
  /** The budget for the parts of a stranger's query that can be expensive. */
  readonly work: Work
  /** Whether a person sees the request, with its transaction data, before the wallet answers. */
  readonly personConfirms: boolean
}

/** Parameters that every profile has (OpenID4VP 1.0 §5). */
const zParameters = z.looseObject({
  response_type: z.literal('vp_token'),
  state: z.string().optional(),
})

const isNonce = (nonce: unknown): nonce is string => typeof nonce === 'string' && nonce !== ''

/**
 * The address of the answer (OpenID4VP 1.0 §8.2). This address may be absent if the client identifier is the same
 * address (§5.9.3).
 */
function responseUriOf(parameters: JsonObject, { prefix, identifier }: ClaimedVerifier): string {
  const { response_mode: mode, response_uri: given, redirect_uri: redirectUri } = parameters
  if (mode === 'dc_api' || mode === 'dc_api.jwt') {
    throw new WalletError(
      'A request of the Digital Credentials API (response_mode) is answered in the browser that it came to.',
    )
  }
  if (mode !== 'direct_post' && mode !== 'direct_post.jwt') {
    throw new WalletError('The response_mode must be direct_post or direct_post.jwt for a hosted wallet.')
  }
  const responseUri = given ?? (prefix === 'redirect_uri' ? identifier : undefined)
  // §8.2: never both. One of two addresses could pass the check of the client identifier, and the other could be used.
  if (typeof responseUri !== 'string' || !URL.canParse(responseUri) || redirectUri !== undefined) {
    throw new WalletError('The authorization request must have a response_uri and no redirect_uri.')
  }
  return responseUri
}

/** The request in the terms of 1.0, with the members that an answer needs. */
function payloadOf(
  { parameters }: ReceivedRequest,
  profile: Profile,
  { prefix, identifier }: ClaimedVerifier,
  responseUri: string,
): PresentationRequest['payload'] {
  const { response_type, response_mode, nonce, state } = parameters
  const payload = {
    client_id: prefix === 'pre-registered' ? identifier : `${prefix}:${identifier}`,
    response_type,
    response_mode,
    response_uri: responseUri,
    nonce,
    ...(state === undefined ? {} : { state }),
    client_metadata: profile.clientMetadataOf(parameters),
  }
  // The library's input for an answer. `accepted` checks what the library does not.
  return payload as Openid4vpAuthorizationRequest
}

/** @throws RefusedRequest for a request that a hosted wallet never answers, even with matching credentials. */
function accepted(
  formats: Formats,
  parameters: JsonObject,
  profile: Profile,
  { personConfirms, work }: Confirmation,
): Pick<PresentationRequest, 'query' | 'exchange' | 'transactionData'> {
  const { error } = zParameters.safeParse(parameters)
  if (error !== undefined) {
    const [member] = error.issues[0]?.path ?? []
    throw new RefusedRequest('invalid_request', `The authorization request has no valid ${String(member)}.`)
  }
  const { query, exchange } = profile.askedBy(parameters, { formats, work })
  // §8.4: the person who authorizes transactions must have seen the transactions.
  if (parameters.transaction_data !== undefined && !personConfirms) throw new UnconfirmedTransaction()
  return {
    query,
    exchange,
    transactionData: readTransactionData(parameters.transaction_data, parseQuery(formats, profile, query)),
  }
}

/** @throws RefusedRequest if the registration of the verifier does not allow an answer. */
function requireAdmission(
  registration: PartyRegistration,
  config: Pick<Config, 'walletRegistration'>,
  { personConfirms }: Confirmation,
): void {
  const admitted = admission(registration, config, personConfirms)
  if (admitted === 'admitted') return
  const fault = registrationFault(registration, 'verifier') ?? ''
  if (admitted !== 'refused') throw new UnconfirmedRegistration(fault)
  throw new RefusedRequest('invalid_request', fault, { untrusted: registration.signer })
}

/** Dependencies of {@link createResolveRequest}. */
export interface ResolveRequestPorts {
  /** Gets a request from its address, by value or by reference. */
  readonly receive: (fetch: typeof globalThis.fetch, address: RequestInvitation['params']) => Promise<ReceivedRequest>
  readonly authenticate: AuthenticateVerifier
  readonly tell: TellVerifier
  readonly registrationOf: VerifierRegistration
  readonly config: Pick<Config, 'walletRegistration'>
  readonly formats: Formats
}

/**
 * Resolves and checks an authorization request (OpenID4VP 1.0 §5). The client identifier prefix decides how its sender is
 * authenticated and where the answer may go. A hosted wallet must also be able to answer the request.
 *
 * An authenticated verifier is notified if the wallet refuses the request (§8.5).
 *
 * @throws WalletError with the reason.
 */
export type ResolveRequest = ReturnType<typeof createResolveRequest>

/** Creates {@link ResolveRequest} from its dependencies. */
export function createResolveRequest({
  receive,
  authenticate,
  tell,
  registrationOf,
  config,
  formats,
}: ResolveRequestPorts) {
  return async (
    fetch: typeof globalThis.fetch,
    { params }: RequestInvitation,
    confirmation: Confirmation,
  ): Promise<PresentationRequest> => {
    const received = await receive(fetch, params)
    const profile = profileOf(received.parameters)
    const verifier = profile.verifierOf(received.parameters)
    const responseUri = responseUriOf(received.parameters, verifier)
    await authenticate(profile, received, verifier, responseUri)
    // An error response (§8.5) answers one request. Without a nonce, nothing binds a response to this request, so no
    // response is sent.
    if (!isNonce(received.parameters.nonce)) throw new WalletError('The authorization request has no valid nonce.')
    const payload = payloadOf(received, profile, verifier, responseUri)
    try {
      const asked = accepted(formats, received.parameters, profile, confirmation)
      const registration = await registrationOf(received, verifier.prefix, asked.query)
      requireAdmission(registration, config, confirmation)
      return {
        payload,
        clientId: String(received.parameters.client_id),
        ...asked,
        registration,
        responseUri,
        profile: profile.name,
      }
    } catch (thrown) {
      // The verifier is notified only here, because a verifier that is not authenticated receives no error.
      if (thrown instanceof RefusedRequest) await tell(fetch, payload, thrown.error)
      throw thrown
    }
  }
}
