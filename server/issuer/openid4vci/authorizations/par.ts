import type { Context } from '../../../api/context.js'
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
import { authenticateClient } from '../client-authentication.js'
import { dpopProofOf, replayedProof, usedProofs } from '../dpop.js'
import { assertHaipRequest, assertHaipWallet, isHaip } from '../haip.js'
import { REQUEST_URI_SECONDS } from './authorization.js'
import { isRedirectUriOf } from './parameters.js'
import { storeRequest } from './store-request.js'

const URN = 'urn:ietf:params:oauth:request_uri:'

/** RFC 9449 §10: the key that the code is to be bound to, by a proof or by name. */
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

/**
 * Takes a pushed authorization request (RFC 9126): everything that the authorization endpoint would check is checked here.
 *
 * @throws OAuthError with the code that the authorization endpoint would give
 */
export async function pushRequest(ctx: Context, sent: AuthorizationParameters): Promise<ProtocolReply> {
  const { deps } = ctx
  const parameters = withValue(sent)
  assertPushable(parameters)
  const client = await authenticateClient(ctx, parameters)
  if (isHaip(deps)) assertHaipWallet(deps, client)
  const proof = dpopProofOf(ctx)
  const target = redirectTarget(parameters, isRedirectUriOf(deps))
  const request = authorizationRequest(parameters, target, deps.config.issuerBaseUrl)
  if (isHaip(deps)) assertHaipRequest(request)
  const dpopJkt = boundKey(request.dpopJkt, proof)
  const requestUri = `${URN}${Buffer.from(deps.random(32)).toString('base64url')}`
  const createdAt = deps.clock()
  const stored = await storeRequest(
    deps,
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
    (offering) => {
      if (isHaip(deps, offering)) assertHaipWallet(deps, client)
    },
  )
  if (stored === undefined) throw replayedProof(client)
  const body = { request_uri: requestUri, expires_in: REQUEST_URI_SECONDS }
  return { status: 201, headers: { 'cache-control': 'no-store' }, body }
}
