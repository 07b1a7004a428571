import type { Deps } from '../../../deps.js'
import { sha256 } from '../../../keys/secret-hash.js'
import { OAuthError } from '../../../protocol/oauth/error.js'
import { matchesChallenge } from '../../../protocol/oauth/pkce.js'
import { accessTokenSeconds, newAccessToken } from '../access-token.js'
import type { Authorization } from '../authorizations/authorization.js'
import { opened } from '../authorizations/parameters.js'
import { requestedOf } from '../authorizations/requested-offer.js'
import type { WalletClient } from '../client-authentication.js'
import { replayedProof, usedProofs } from '../dpop.js'
import { assertHaipToken, isHaip } from '../haip.js'
import { CLOSED, closedReason } from '../offer.js'
import type { Dialect } from '../profiles/dialect.js'
import { nonceMembers } from '../profiles/nonce-members.js'
import { offeredTypes } from '../profiles/offered-types.js'
import { dialectOf } from '../profiles/profiles.js'
import {
  grantedMembers,
  type RequestedConfigurations,
  requestedConfigurations,
  takeable,
} from '../requested-configurations.js'
import { canMove, moved } from '../sessions/session.js'
import type { TokenOutcome } from '../tokens/store.js'
import type { Grant, TokenClient, TokenParameters, TokenResponse } from './grant.js'
import { firstRefreshToken } from './refresh-token.js'

const invalidGrant = (description: string) => new OAuthError('invalid_grant', description)

/** RFC 6749 §4.1.2: a code that is used twice was stolen, so every token issued for it is revoked. */
async function endStolen(deps: Pick<Deps, 'stores' | 'clock'>, authorizationId: string): Promise<OAuthError> {
  await deps.stores.authorizations.end(authorizationId, deps.clock())
  return invalidGrant('The code has been used already.')
}

/** The authorization of a code and its offer; where the code was used before, the authorization ends. */
async function authorizationOf(deps: Deps, code: string, now: Date) {
  const found = await deps.stores.authorizations.byCode(sha256(code))
  if (found === undefined) throw invalidGrant('The code is unknown or has expired.')
  const { authorization: stored, offering } = found
  if (stored.state === 'Redeemed') throw await endStolen(deps, stored.id)
  if (stored.codeExpiresAt === null || stored.codeExpiresAt <= now)
    throw invalidGrant('The code is unknown or has expired.')
  return { authorization: await opened(deps, stored), offering }
}

/** RFC 6749 §4.1.3, RFC 7636 §4.6, RFC 9449 §10: the client that redeems a code is the one that requested it. */
function assertSameClient(
  authorization: Authorization,
  parameters: TokenParameters,
  { dpop, wallet }: TokenClient,
): void {
  const { request, dpopJkt, instanceJkt, pushed } = authorization
  const clientId = wallet.clientId ?? parameters.client_id
  // RFC 6749 §5.2: a client that is who it says to be, and has another client's code, is refused for the code.
  if (clientId !== undefined && clientId !== request.clientId)
    throw invalidGrant('The code was given to another client.')
  // Method and instance key of PAR and token request are the same.
  if (pushed && instanceJkt !== wallet.instanceJkt)
    throw new OAuthError('invalid_client', 'The request was pushed by another wallet instance.', { status: 401 })
  // A client that does not authenticate must say who it is (RFC 6749 §4.1.3); an attested one has.
  if (clientId === undefined) throw new OAuthError('invalid_request', 'client_id is missing.')
  if (parameters.redirect_uri !== request.redirectUri)
    throw invalidGrant('The redirect_uri is not that of the authorization request.')
  const { code_verifier: verifier } = parameters
  if (verifier === undefined || !matchesChallenge(verifier, request.codeChallenge))
    throw invalidGrant('The code_verifier does not fit the code_challenge of the authorization request.')
  if (dpopJkt !== null && dpop?.jkt !== dpopJkt)
    throw invalidGrant('The code is bound to another key than that of the DPoP proof.')
}

/** §6.1.1: the token request may ask for less than was granted, never for more. */
function narrowed(
  deps: Pick<Deps, 'config' | 'formats'>,
  sent: TokenParameters,
  granted: RequestedConfigurations,
  { parameters }: Dialect,
): RequestedConfigurations {
  const takeableIds = takeable(granted, [])
  const asked = requestedConfigurations(parameters(sent, offeredTypes(deps, takeableIds)), takeableIds, deps.config)
  return asked.detailed.length === 0 && asked.scoped.length === 0 ? granted : asked
}

const REFUSALS: Readonly<Record<Exclude<TokenOutcome, 'stored' | 'used'>, (wallet: WalletClient) => OAuthError>> = {
  closed: () => invalidGrant(CLOSED),
  replayed: replayedProof,
}

async function handle(deps: Deps, parameters: TokenParameters, client: TokenClient): Promise<TokenResponse> {
  const { code } = parameters
  if (code === undefined) throw new OAuthError('invalid_request', 'code is missing.')
  const now = deps.clock()
  const { authorization, offering } = await authorizationOf(deps, code, now)
  if (isHaip(deps, offering)) assertHaipToken(deps, client)
  assertSameClient(authorization, parameters, client)
  const reason = closedReason(offering, now)
  if (reason !== undefined) throw invalidGrant(reason)
  const dialect = dialectOf(offering.profile)
  const requested = narrowed(deps, parameters, requestedOf(deps, authorization.request, offering), dialect)
  const { dpop, wallet } = client
  const accessToken = newAccessToken(deps.random)
  const seconds = accessTokenSeconds(dpop !== undefined)
  const refresh = firstRefreshToken(deps, client, now)
  const { session } = offering
  const outcome = await deps.stores.openid4vci.insertToken(
    {
      tokenHash: sha256(accessToken),
      offeringId: offering.offeringId,
      ...requested,
      dpopJkt: dpop?.jkt ?? null,
      expiresAt: new Date(now.getTime() + seconds * 1000),
      authorization: { id: authorization.id, by: 'code', refresh: refresh.stored },
    },
    session !== null && canMove(session.state, 'TokenIssued') ? moved(session, 'TokenIssued') : null,
    usedProofs(wallet, dpop),
    now,
  )
  if (outcome === 'used') throw await endStolen(deps, authorization.id)
  if (outcome !== 'stored') throw REFUSALS[outcome](wallet)
  const response = {
    access_token: accessToken,
    token_type: dpop === undefined ? 'Bearer' : 'DPoP',
    expires_in: seconds,
    refresh_token: refresh.token,
    ...grantedMembers(requested),
  }
  return dialect.tokenResponse(response, nonceMembers(deps))
}

/** RFC 6749 §4.1.3, OpenID4VCI 1.0 §6.1. */
export const authorizationCode: Grant = { identifier: 'authorization_code', handle }
