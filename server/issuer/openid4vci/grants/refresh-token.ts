import { sha256 } from '../../../keys/secret-hash.js'
import { OAuthError } from '../../../protocol/oauth/error.js'
import type { AuthorizationStore } from '../authorizations/store.js'
import type { ClientAuthentication, TokenClient, WalletClient } from '../client-authentication.js'
import { replayedProof } from '../dpop.js'
import { CLOSED, ERASED } from '../offer.js'
import type { Offered } from '../offered.js'
import type { NonceMembers } from '../profiles/profile.js'
import { profileNamed } from '../profiles/profiles.js'
import { grantedMembers, takeable } from '../requested-configurations.js'
import type { Openid4vciStore } from '../store.js'
import type { StoredRefreshToken, TokenOutcome } from '../tokens/store.js'
import type { Grant } from './grant.js'
import type { NewTokens } from './new-tokens.js'

const invalidGrant = (description: string) => new OAuthError('invalid_grant', description)

const UNKNOWN = 'The refresh token is unknown or has expired.'

const REFUSALS: Readonly<Record<Exclude<TokenOutcome, 'stored' | 'used'>, (wallet: WalletClient) => OAuthError>> = {
  closed: () => invalidGrant(CLOSED),
  replayed: replayedProof,
}

/**
 * RFC 9449 §5: a refresh token that is bound to a key needs a proof by the same key. An attested wallet has proven its instance
 * key, so it may use a new key for the new access token.
 */
function assertKey(
  { dpopJkt, instanceJkt }: Pick<StoredRefreshToken, 'dpopJkt' | 'instanceJkt'>,
  dpop: TokenClient['dpop'],
): void {
  if (dpopJkt === null || dpop?.jkt === dpopJkt) return
  if (dpop === undefined) throw invalidGrant('The refresh token needs a DPoP proof.')
  if (instanceJkt === null)
    throw invalidGrant('The refresh token is bound to a key other than the key of the DPoP proof.')
}

/** Dependencies of {@link createRefreshTokenGrant}. */
export interface RefreshTokenPorts {
  readonly store: Pick<Openid4vciStore, 'refreshToken'>
  readonly authorizations: Pick<AuthorizationStore, 'end'>
  readonly offered: Pick<Offered, 'requestedIn'>
  readonly tokens: Pick<NewTokens, 'give' | 'refreshToken'>
  readonly assertTokenClient: ClientAuthentication['assertTokenClient']
  readonly nonceMembers: NonceMembers
  readonly clock: () => Date
}

/** The grant that gives a new access token for the same authorization (RFC 6749 §6). */
export function createRefreshTokenGrant({
  store,
  authorizations,
  offered,
  tokens,
  assertTokenClient,
  nonceMembers,
  clock,
}: RefreshTokenPorts): Grant {
  /** A refresh token that is used twice counts as stolen, so all tokens of its authorization are revoked (RFC 9700 §4.14.2). */
  const endFamily = async (authorizationId: string): Promise<OAuthError> => {
    await authorizations.end(authorizationId, clock())
    return invalidGrant('The refresh token has been used already.')
  }

  return async (parameters, client) => {
    const { dpop, wallet } = client
    const { refresh_token: sent, client_id: clientId } = parameters
    if (sent === undefined) throw new OAuthError('invalid_request', 'refresh_token is missing.')
    const now = clock()
    const tokenHash = sha256(sent)
    const found = await store.refreshToken(tokenHash)
    if (found === undefined || found.expiresAt <= now) throw invalidGrant(UNKNOWN)
    if (found.replaced) throw await endFamily(found.authorizationId)
    // RFC 6749 §6: client_id may be omitted here.
    if (found.clientId !== null && (wallet.clientId ?? clientId ?? found.clientId) !== found.clientId)
      throw invalidGrant('The refresh token was given to another client.')
    assertTokenClient(client, found)
    if (found.instanceJkt !== wallet.instanceJkt)
      throw new OAuthError('invalid_client', 'The refresh token was given to another wallet instance.', { status: 401 })
    assertKey(found, dpop)
    if (found.claimsErased) throw invalidGrant(ERASED)
    const asked = offered.requestedIn(found.profile, parameters, takeable(found, found.offered))
    const { detailed, scoped } = asked.detailed.length === 0 && asked.scoped.length === 0 ? found : asked
    // FAPI 2.0 Security Profile §5.3.2.1: a refresh token that is bound to a key stays valid. Any other refresh token
    // is replaced at each use. The new token keeps the expiry time. If the request has a DPoP proof, the new token is
    // bound to the key of the proof (RFC 9449 §5).
    const isBound = found.dpopJkt !== null || found.instanceJkt !== null
    const next = { dpopJkt: dpop?.jkt ?? null, instanceJkt: null, expiresAt: found.expiresAt }
    const refresh = isBound ? undefined : tokens.refreshToken(next)
    const given = await tokens.give(
      {
        offeringId: found.offeringId,
        linkNumber: found.linkNumber,
        detailed,
        scoped,
        authorization: {
          id: found.authorizationId,
          by: 'refresh',
          replacing: found.onRefresh === 'revoke-previous',
          ...(refresh === undefined ? {} : { rotation: { refresh: refresh.stored, replaces: tokenHash } }),
        },
        session: null,
        atMostSeconds: Math.ceil((found.expiresAt.getTime() - now.getTime()) / 1000),
      },
      client,
      now,
    )
    if (given.outcome === 'used') throw await endFamily(found.authorizationId)
    if (given.outcome !== 'stored') throw REFUSALS[given.outcome](wallet)
    const response = {
      ...given.members,
      ...(refresh === undefined ? {} : { refresh_token: refresh.token }),
      ...grantedMembers({ detailed, scoped }),
    }
    return profileNamed(found.profile).tokenResponse(response, nonceMembers)
  }
}
