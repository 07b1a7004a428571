import type { Deps } from '../../../deps.js'
import { sha256 } from '../../../keys/secret-hash.js'
import { DAY_SECONDS } from '../../../maintenance/task.js'
import { OAuthError } from '../../../protocol/oauth/error.js'
import { accessTokenSeconds, newAccessToken } from '../access-token.js'
import type { WalletClient } from '../client-authentication.js'
import { replayedProof, usedProofs } from '../dpop.js'
import { assertHaipToken, isHaip } from '../haip.js'
import { CLOSED } from '../offer.js'
import { nonceMembers } from '../profiles/nonce-members.js'
import { offeredTypes } from '../profiles/offered-types.js'
import { dialectOf } from '../profiles/profiles.js'
import { grantedMembers, requestedConfigurations, takeable } from '../requested-configurations.js'
import type { NewRefreshToken, StoredRefreshToken, TokenOutcome } from '../tokens/store.js'
import type { Grant, TokenClient, TokenParameters, TokenResponse } from './grant.js'

const invalidGrant = (description: string) => new OAuthError('invalid_grant', description)

/** A refresh token, and how it is stored. */
interface FreshRefreshToken {
  readonly token: string
  readonly stored: NewRefreshToken
}

function newRefreshToken(deps: Pick<Deps, 'random'>, members: Omit<NewRefreshToken, 'tokenHash'>): FreshRefreshToken {
  const token = newAccessToken(deps.random)
  return { token, stored: { tokenHash: sha256(token), ...members } }
}

/** The first refresh token of an authorization, bound to the keys of whoever redeemed its code. */
export const firstRefreshToken = (
  deps: Pick<Deps, 'random' | 'config'>,
  { dpop, wallet }: TokenClient,
  now: Date,
): FreshRefreshToken =>
  newRefreshToken(deps, {
    dpopJkt: dpop?.jkt ?? null,
    instanceJkt: wallet.instanceJkt,
    expiresAt: new Date(now.getTime() + deps.config.refreshTokenDays * DAY_SECONDS * 1000),
  })

const UNKNOWN = 'The refresh token is unknown or has expired.'

const REFUSALS: Readonly<Record<Exclude<TokenOutcome, 'stored' | 'used'>, (wallet: WalletClient) => OAuthError>> = {
  closed: () => invalidGrant(CLOSED),
  replayed: replayedProof,
}

/** A refresh token that is used twice was stolen: all tokens of its authorization are revoked (RFC 9700 §4.14.2). */
async function endFamily(deps: Pick<Deps, 'stores' | 'clock'>, authorizationId: string): Promise<OAuthError> {
  await deps.stores.authorizations.end(authorizationId, deps.clock())
  return invalidGrant('The refresh token has been used already.')
}

/**
 * RFC 9449 §5: a token that came with a proof needs one again, by the same key where nothing else binds it. An attested wallet
 * has shown the key of its instance, and may take a new key for what it asks for now.
 */
function assertKey(
  { dpopJkt, instanceJkt }: Pick<StoredRefreshToken, 'dpopJkt' | 'instanceJkt'>,
  dpop: TokenClient['dpop'],
): void {
  if (dpopJkt === null || dpop?.jkt === dpopJkt) return
  if (dpop === undefined) throw invalidGrant('The refresh token needs a DPoP proof.')
  if (instanceJkt === null) throw invalidGrant('The refresh token is bound to another key than that of the DPoP proof.')
}

async function handle(deps: Deps, parameters: TokenParameters, { dpop, wallet }: TokenClient): Promise<TokenResponse> {
  const { refresh_token: sent, client_id: clientId } = parameters
  if (sent === undefined) throw new OAuthError('invalid_request', 'refresh_token is missing.')
  const now = deps.clock()
  const tokenHash = sha256(sent)
  const found = await deps.stores.openid4vci.refreshToken(tokenHash)
  if (found === undefined || found.expiresAt <= now) throw invalidGrant(UNKNOWN)
  if (found.replaced) throw await endFamily(deps, found.authorizationId)
  // RFC 6749 §6: client_id may be omitted here.
  if (found.clientId !== null && (wallet.clientId ?? clientId ?? found.clientId) !== found.clientId)
    throw invalidGrant('The refresh token was given to another client.')
  if (isHaip(deps, found)) assertHaipToken(deps, { dpop, wallet })
  if (found.instanceJkt !== wallet.instanceJkt)
    throw new OAuthError('invalid_client', 'The refresh token was given to another wallet instance.', { status: 401 })
  assertKey(found, dpop)
  const dialect = dialectOf(found.profile)
  const granted = takeable(found, found.offered)
  const asked = requestedConfigurations(
    dialect.parameters(parameters, offeredTypes(deps, granted)),
    granted,
    deps.config,
  )
  const requested = asked.detailed.length === 0 && asked.scoped.length === 0 ? found : asked
  const accessToken = newAccessToken(deps.random)
  const left = Math.ceil((found.expiresAt.getTime() - now.getTime()) / 1000)
  const seconds = Math.min(accessTokenSeconds(dpop !== undefined), left)
  // FAPI 2.0 Security Profile §5.3.2.1: one that is bound to a key stays; any other is replaced at each use. Its successor
  // expires when it would have, and is bound to the key of the DPoP proof, where there is one (RFC 9449 §5).
  const isBound = found.dpopJkt !== null || found.instanceJkt !== null
  const next = { dpopJkt: dpop?.jkt ?? null, instanceJkt: null, expiresAt: found.expiresAt }
  const refresh = isBound ? undefined : newRefreshToken(deps, next)
  const outcome = await deps.stores.openid4vci.insertToken(
    {
      tokenHash: sha256(accessToken),
      offeringId: found.offeringId,
      detailed: requested.detailed,
      scoped: requested.scoped,
      dpopJkt: dpop?.jkt ?? null,
      expiresAt: new Date(now.getTime() + seconds * 1000),
      authorization: {
        id: found.authorizationId,
        by: 'refresh',
        ...(refresh === undefined ? {} : { rotation: { refresh: refresh.stored, replaces: tokenHash } }),
      },
    },
    null,
    usedProofs(wallet, dpop),
    now,
  )
  if (outcome === 'used') throw await endFamily(deps, found.authorizationId)
  if (outcome !== 'stored') throw REFUSALS[outcome](wallet)
  const response = {
    access_token: accessToken,
    token_type: dpop === undefined ? 'Bearer' : 'DPoP',
    expires_in: seconds,
    ...(refresh === undefined ? {} : { refresh_token: refresh.token }),
    ...grantedMembers(requested),
  }
  return dialect.tokenResponse(response, nonceMembers(deps))
}

/** RFC 6749 §6: a new access token for the same authorization. */
export const refreshToken: Grant = { identifier: 'refresh_token', handle }
