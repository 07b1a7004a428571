import type { Config } from '../../../config/config.js'
import { sha256 } from '../../../keys/secret-hash.js'
import { DAY_SECONDS } from '../../../maintenance/task.js'
import { accessTokenSeconds, newAccessToken } from '../access-token.js'
import type { TokenClient } from '../client-authentication.js'
import { usedProofs } from '../dpop.js'
import type { CredentialOfferSession } from '../sessions/session.js'
import type { Openid4vciStore } from '../store.js'
import type { NewRefreshToken, NewToken, TokenOutcome } from '../tokens/store.js'

/** The members of a new access token that do not depend on its client. */
export interface Given
  extends Pick<NewToken, 'code' | 'offeringId' | 'linkNumber' | 'detailed' | 'scoped' | 'authorization'> {
  /**
   * The session after its transition; `unread` if the offering was not read; null if the session does not change or the
   * offering has no session.
   */
  readonly session: CredentialOfferSession | 'unread' | null
  /** The longest lifetime of the token in seconds. Present if the authorization may end before the token. */
  readonly atMostSeconds?: number
}

/** Members of a token response (RFC 6749 §5.1). */
type TokenMembers = {
  readonly access_token: string
  readonly token_type: 'Bearer' | 'DPoP'
  readonly expires_in: number
}

/** A stored token, or the reason why it was not stored. */
export type GivenToken =
  | { readonly outcome: 'stored'; readonly members: TokenMembers }
  | { readonly outcome: Exclude<TokenOutcome, 'stored'> }

/** A refresh token, and its stored form. */
export interface FreshRefreshToken {
  readonly token: string
  readonly stored: NewRefreshToken
}

/** Dependencies of {@link createNewTokens}. */
export interface NewTokensPorts {
  readonly store: Pick<Openid4vciStore, 'insertToken'>
  readonly config: Pick<Config, 'refreshTokenDays'>
  readonly random: (length: number) => Uint8Array
}

export type NewTokens = ReturnType<typeof createNewTokens>

/** Makes the tokens of all grants. */
export function createNewTokens({ store, config, random }: NewTokensPorts) {
  const refreshToken = (members: Omit<NewRefreshToken, 'tokenHash'>): FreshRefreshToken => {
    const token = newAccessToken(random)
    return { token, stored: { tokenHash: sha256(token), ...members } }
  }

  return {
    /** Makes and stores an access token, and marks the proofs of its client as used. */
    async give(
      { session, atMostSeconds, ...granted }: Given,
      { dpop, wallet }: TokenClient,
      now: Date,
    ): Promise<GivenToken> {
      const accessToken = newAccessToken(random)
      const seconds = Math.min(accessTokenSeconds(dpop !== undefined), atMostSeconds ?? Number.POSITIVE_INFINITY)
      const outcome = await store.insertToken(
        {
          tokenHash: sha256(accessToken),
          ...granted,
          dpopJkt: dpop?.jkt ?? null,
          walletStatuses: wallet.statuses,
          expiresAt: new Date(now.getTime() + seconds * 1000),
        },
        session,
        usedProofs(wallet, dpop),
        now,
      )
      if (outcome !== 'stored') return { outcome }
      const token_type = dpop === undefined ? 'Bearer' : 'DPoP'
      return { outcome, members: { access_token: accessToken, token_type, expires_in: seconds } }
    },

    /** Makes a refresh token that replaces another refresh token. */
    refreshToken,

    /** The first refresh token of an authorization, bound to the keys of the client that redeemed the code. */
    firstRefreshToken: ({ dpop, wallet }: TokenClient, now: Date): FreshRefreshToken =>
      refreshToken({
        dpopJkt: dpop?.jkt ?? null,
        instanceJkt: wallet.instanceJkt,
        expiresAt: new Date(now.getTime() + config.refreshTokenDays * DAY_SECONDS * 1000),
      }),
  }
}
