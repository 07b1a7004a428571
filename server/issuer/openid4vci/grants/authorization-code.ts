import { sha256 } from '../../../keys/secret-hash.js'
import type { Vault } from '../../../keys/vault.js'
import { OAuthError } from '../../../protocol/oauth/error.js'
import { matchesChallenge } from '../../../protocol/oauth/pkce.js'
import type { Authorization } from '../authorizations/authorization.js'
import { opened } from '../authorizations/parameters.js'
import type { AuthorizationStore } from '../authorizations/store.js'
import type { ClientAuthentication, TokenClient, WalletClient } from '../client-authentication.js'
import { replayedProof } from '../dpop.js'
import { CLOSED, closedReason, linkNumberOf } from '../offer.js'
import type { Offered } from '../offered.js'
import type { NonceMembers } from '../profiles/profile.js'
import { profileNamed } from '../profiles/profiles.js'
import { grantedMembers, type RequestedConfigurations, takeable } from '../requested-configurations.js'
import { canMove, moved } from '../sessions/session.js'
import type { TokenOutcome } from '../tokens/store.js'
import type { Grant, TokenParameters } from './grant.js'
import type { NewTokens } from './new-tokens.js'

const invalidGrant = (description: string) => new OAuthError('invalid_grant', description)

/**
 * RFC 6749 §4.1.3, RFC 7636 §4.6, RFC 9449 §10: the client that redeems a code must be the client that requested the
 * code.
 */
function assertSameClient(
  authorization: Authorization,
  parameters: TokenParameters,
  { dpop, wallet }: TokenClient,
): void {
  const { request, dpopJkt, instanceJkt, pushed } = authorization
  const clientId = wallet.clientId ?? parameters.client_id
  // RFC 6749 §5.2: if an identified client has another client's code, the error is about the code.
  if (clientId !== undefined && clientId !== request.clientId)
    throw invalidGrant('The code was given to another client.')
  // The PAR request and the token request must authenticate in the same way, with the same instance key.
  if (pushed && instanceJkt !== wallet.instanceJkt)
    throw new OAuthError('invalid_client', 'The request was pushed by another wallet instance.', { status: 401 })
  // A client without authentication must send its client_id (RFC 6749 §4.1.3). An attestation already contains the
  // client_id.
  if (clientId === undefined) throw new OAuthError('invalid_request', 'client_id is missing.')
  if (parameters.redirect_uri !== request.redirectUri)
    throw invalidGrant('The redirect_uri differs from the redirect_uri of the authorization request.')
  const { code_verifier: verifier } = parameters
  if (verifier === undefined || !matchesChallenge(verifier, request.codeChallenge))
    throw invalidGrant('The code_verifier does not fit the code_challenge of the authorization request.')
  if (dpopJkt !== null && dpop?.jkt !== dpopJkt)
    throw invalidGrant('The code is bound to a key other than the key of the DPoP proof.')
}

const REFUSALS: Readonly<Record<Exclude<TokenOutcome, 'stored' | 'used'>, (wallet: WalletClient) => OAuthError>> = {
  closed: () => invalidGrant(CLOSED),
  replayed: replayedProof,
}

/** Dependencies of {@link createAuthorizationCodeGrant}. */
export interface AuthorizationCodePorts {
  readonly authorizations: Pick<AuthorizationStore, 'byCode' | 'end'>
  readonly vault: Pick<Vault, 'reveal'>
  readonly offered: Pick<Offered, 'requestedIn' | 'requestedOf'>
  readonly tokens: Pick<NewTokens, 'firstRefreshToken' | 'give'>
  readonly assertTokenClient: ClientAuthentication['assertTokenClient']
  readonly nonceMembers: NonceMembers
  readonly clock: () => Date
}

/** The grant that exchanges an authorization code for an access token (RFC 6749 §4.1.3, OpenID4VCI 1.0 §6.1). */
export function createAuthorizationCodeGrant({
  authorizations,
  vault,
  offered,
  tokens,
  assertTokenClient,
  nonceMembers,
  clock,
}: AuthorizationCodePorts): Grant {
  /**
   * RFC 6749 §4.1.2: a code that is used twice counts as stolen, so all tokens that were issued for the code are
   * revoked.
   */
  const endStolen = async (authorizationId: string): Promise<OAuthError> => {
    await authorizations.end(authorizationId, clock())
    return invalidGrant('The code has been used already.')
  }

  /** The authorization of a code, with its offer. If the code was used before, the authorization ends. */
  const authorizationOf = async (code: string, now: Date) => {
    const found = await authorizations.byCode(sha256(code))
    if (found === undefined) throw invalidGrant('The code is unknown or has expired.')
    const { authorization: stored, offering } = found
    if (stored.state === 'Redeemed') throw await endStolen(stored.id)
    if (stored.codeExpiresAt === null || stored.codeExpiresAt <= now)
      throw invalidGrant('The code is unknown or has expired.')
    return { authorization: await opened(vault, stored), offering }
  }

  /** §6.1.1: a token request may ask for fewer credentials than were granted, never for more. */
  const narrowed = (
    sent: TokenParameters,
    granted: RequestedConfigurations,
    profile: Parameters<Offered['requestedIn']>[0],
  ): RequestedConfigurations => {
    const asked = offered.requestedIn(profile, sent, takeable(granted, []))
    return asked.detailed.length === 0 && asked.scoped.length === 0 ? granted : asked
  }

  return async (parameters, client) => {
    const { code } = parameters
    if (code === undefined) throw new OAuthError('invalid_request', 'code is missing.')
    const now = clock()
    const { authorization, offering } = await authorizationOf(code, now)
    assertTokenClient(client, offering)
    assertSameClient(authorization, parameters, client)
    const reason = closedReason(offering, now)
    if (reason !== undefined) throw invalidGrant(reason)
    const { offeringId, profile, session } = offering
    const requested = narrowed(parameters, offered.requestedOf(authorization.request, offering), profile)
    const refresh = tokens.firstRefreshToken(client, now)
    const given = await tokens.give(
      {
        offeringId,
        linkNumber: linkNumberOf(offering),
        ...requested,
        authorization: { id: authorization.id, by: 'code', refresh: refresh.stored },
        session: session !== null && canMove(session.state, 'TokenIssued') ? moved(session, 'TokenIssued') : null,
      },
      client,
      now,
    )
    if (given.outcome === 'used') throw await endStolen(authorization.id)
    if (given.outcome !== 'stored') throw REFUSALS[given.outcome](client.wallet)
    const response = { ...given.members, refresh_token: refresh.token, ...grantedMembers(requested) }
    return profileNamed(profile).tokenResponse(response, nonceMembers)
  }
}
