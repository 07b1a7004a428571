import type { RequestFacts } from '../../../api/context.js'
import type { Config } from '../../../config/config.js'
import { sha256 } from '../../../keys/secret-hash.js'
import {
  type AuthorizationParameters,
  assertNoRequestObject,
  authorizationRequest,
  redirectTarget,
} from '../../../protocol/oauth/authorization-request.js'
import type { DpopProof } from '../../../protocol/oauth/dpop.js'
import { OAuthError } from '../../../protocol/oauth/error.js'
import { withValue } from '../../../protocol/oauth/parameters.js'
import type { ProtocolReply } from '../../../protocol/oauth/reply.js'
import type { Work } from '../../../protocol/work.js'
import type { ClientAuthentication } from '../client-authentication.js'
import { type Dpop, replayedProof, usedProofs } from '../dpop.js'
import { assertHaipRequest, isHaip } from '../haip.js'
import { REQUEST_URI_SECONDS } from './authorization.js'
import { isRedirectUriOf } from './parameters.js'
import type { StoreRequest } from './store-request.js'

const URN = 'urn:ietf:params:oauth:request_uri:'

/** RFC 9449 §10: the key to which the code is bound. A proof or `dpop_jkt` names the key. */
function boundKey(named: string | undefined, proof: DpopProof | undefined): string | null {
  if (named !== undefined && proof !== undefined && named !== proof.jkt)
    throw new OAuthError('invalid_dpop_proof', 'The DPoP proof is of another key than dpop_jkt names.')
  return proof?.jkt ?? named ?? null
}

/** RFC 9126 §2.1 */
function assertPushable(parameters: AuthorizationParameters): void {
  if (parameters.request_uri !== undefined) throw new OAuthError('invalid_request', 'request_uri must not be pushed.')
  assertNoRequestObject(parameters)
}

/** Dependencies of {@link createPushRequest}. */
export interface PushRequestPorts {
  readonly config: Pick<Config, 'allowInsecureHttp' | 'issuerBaseUrl' | 'issuerProfile' | 'walletRedirectUris'>
  readonly clients: Pick<ClientAuthentication, 'assertWallet' | 'authenticate'>
  readonly dpop: Pick<Dpop, 'proofOf'>
  readonly storeRequest: StoreRequest
  readonly random: (length: number) => Uint8Array
  readonly clock: () => Date
}

/**
 * Stores a pushed authorization request (RFC 9126). All checks of the authorization endpoint are made here.
 *
 * @param sent the parameters of the request
 * @param work the budget for the status list of a wallet attestation
 * @throws OAuthError with the code that the authorization endpoint would return
 */
export type PushRequest = (
  request: Pick<RequestFacts, 'headers' | 'method' | 'path'>,
  sent: AuthorizationParameters,
  work: Work,
) => Promise<ProtocolReply>

export function createPushRequest({
  config,
  clients,
  dpop,
  storeRequest,
  random,
  clock,
}: PushRequestPorts): PushRequest {
  const isRedirectUri = isRedirectUriOf(config)
  return async (pushed, sent, work) => {
    const parameters = withValue(sent)
    assertPushable(parameters)
    const client = await clients.authenticate(pushed.headers, parameters, work)
    clients.assertWallet(client)
    const proof = dpop.proofOf(pushed)
    const target = redirectTarget(parameters, isRedirectUri)
    const request = authorizationRequest(parameters, target, config.issuerBaseUrl)
    if (isHaip({ config })) assertHaipRequest(request)
    const dpopJkt = boundKey(request.dpopJkt, proof)
    const requestUri = `${URN}${Buffer.from(random(32)).toString('base64url')}`
    const createdAt = clock()
    const stored = await storeRequest(
      { ...request, walletName: client.walletName },
      {
        dpopJkt,
        instanceJkt: client.instanceJkt,
        requestUriHash: sha256(requestUri),
        state: 'Pushed',
        browserHash: null,
        userSub: null,
        expiresAt: new Date(createdAt.getTime() + REQUEST_URI_SECONDS * 1000),
        createdAt,
      },
      usedProofs(client, proof),
      (offering) => clients.assertWallet(client, offering),
    )
    if (stored === undefined) throw replayedProof(client)
    const body = { request_uri: requestUri, expires_in: REQUEST_URI_SECONDS }
    return { status: 201, headers: { 'cache-control': 'no-store' }, body }
  }
}
