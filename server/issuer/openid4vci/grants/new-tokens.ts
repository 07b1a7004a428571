import type { Config } from '../../../config/config.js'
import { sha256 } from '../../../keys/secret-hash.js'
import { DAY_SECONDS } from '../../../maintenance/task.js'
import { accessTokenSeconds, newAccessToken } from '../access-token.js'
import type { TokenClient } from '../client-authentication.js'
import { usedProofs } from '../dpop.js'
import type { CredentialOfferSession } from '../sessions/session.js'
import type { Openid4vciStore } from '../store.js'
import type { NewRefreshToken, NewToken, TokenOutcome } from '../tokens/store.js'

/** What an access token is given for, beside its client. */
export interface Given extends Pick<NewToken, 'code' | 'offeringId' | 'detailed' | 'scoped' | 'authorization'> {
  /** The session after its transition; `unread` where the offering was not read, null where the session stays or there is none. */
  readonly session: CredentialOfferSession | 'unread' | null
  /** For how long the token is good at most, where its authorization ends sooner than tokens do. */
  readonly atMostSeconds?: number
}

/** Members of a token response (RFC 6749 §5.1). */
type TokenMembers = {
  readonly access_token: string
  readonly token_type: 'Bearer' | 'DPoP'
  readonly expires_in: number
}

/** A token that was stored, or why it was not. */
export type GivenToken =
  | { readonly outcome: 'stored'; readonly members: TokenMembers }
  | { readonly outcome: Exclude<TokenOutcome, 'stored'> }

/** A refresh token, and how it is stored. */
export interface FreshRefreshToken {
  readonly token: string
  readonly stored: NewRefreshToken
}

/** What {@link createNewTokens} is made of. */
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
    /** Makes an access token and stores it, with the proofs of its client as used. */
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

    /** A refresh token that takes the place of another one. */
    refreshToken,

    /** The first refresh token of an authorization, bound to the keys of whoever redeemed its code. */
    firstRefreshToken: ({ dpop, wallet }: TokenClient, now: Date): FreshRefreshToken =>
      refreshToken({
        dpopJkt: dpop?.jkt ?? null,
        instanceJkt: wallet.instanceJkt,
        expiresAt: new Date(now.getTime() + config.refreshTokenDays * DAY_SECONDS * 1000),
      }),
  }
}
