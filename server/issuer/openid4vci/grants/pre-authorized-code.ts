import { OAuthError } from '../../../protocol/oauth/error.js'
import type { TokenClient, WalletClient } from '../client-authentication.js'
import { replayedProof } from '../dpop.js'
import { CLOSED, closedReason } from '../offer.js'
import type { Offered } from '../offered.js'
import type { NonceMembers } from '../profiles/profile.js'
import { isDraft, profileNamed } from '../profiles/profiles.js'
import { grantedMembers } from '../requested-configurations.js'
import type { PreAuthorizedCode, Seals } from '../sealed.js'
import { moved } from '../sessions/session.js'
import type { Openid4vciStore } from '../store.js'
import type { TokenAuthorization, TokenOutcome } from '../tokens/store.js'
import type { AssertTxCode } from '../tx-code-check.js'
import type { Grant, TokenParameters } from './grant.js'
import type { GivenToken, NewTokens } from './new-tokens.js'

/** The same limit as for the client_id of an authorization request. */
const MAX_CLIENT_ID = 4_096

function requiredText(parameters: TokenParameters, name: string): string {
  const value = parameters[name]
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing.`)
  return value
}

const unknownCode = () => new OAuthError('invalid_grant', 'The pre-authorized code is unknown or has expired.')

/** The client id for the refresh token; null if the wallet sends no client id. */
function clientOf({ client_id: clientId }: TokenParameters, wallet: WalletClient): string | null {
  if (clientId !== undefined && clientId.length > MAX_CLIENT_ID)
    throw new OAuthError('invalid_request', `client_id is longer than ${MAX_CLIENT_ID} characters.`)
  return wallet.clientId ?? clientId ?? null
}

const invalidGrant = (description: string) => () => new OAuthError('invalid_grant', description)

const REFUSALS: Readonly<Record<Exclude<TokenOutcome, 'stored'>, (wallet: WalletClient) => OAuthError>> = {
  used: invalidGrant('The pre-authorized code has been used already.'),
  closed: invalidGrant(CLOSED),
  replayed: replayedProof,
}

/** Dependencies of {@link createPreAuthorizedCodeGrant}. */
export interface PreAuthorizedCodePorts {
  readonly seals: Pick<Seals, 'openCode'>
  readonly store: Pick<Openid4vciStore, 'offering'>
  readonly offered: Pick<Offered, 'configurations' | 'requested' | 'types'>
  readonly tokens: Pick<NewTokens, 'firstRefreshToken' | 'give'>
  readonly assertTxCode: AssertTxCode
  readonly nonceMembers: NonceMembers
  readonly clock: () => Date
  readonly newId: () => string
}

/**
 * The grant that exchanges a pre-authorized code for an access token (OpenID4VCI 1.0 §6.1). A code is used once. If the
 * offer requires a transaction code, the wallet sends this code too.
 */
export function createPreAuthorizedCodeGrant({
  seals,
  store,
  offered,
  tokens,
  assertTxCode,
  nonceMembers,
  clock,
  newId,
}: PreAuthorizedCodePorts): Grant {
  const codeOf = (parameters: TokenParameters): PreAuthorizedCode => {
    const code = seals.openCode(requiredText(parameters, 'pre-authorized_code'))
    if (code === undefined) throw unknownCode()
    return code
  }

  /**
   * §6.1.1: the request may narrow the offer. RFC 6749 §3.3: if the granted scope differs from the requested scope, the answer
   * contains the granted scope.
   */
  const narrowed = (parameters: TokenParameters, ids: readonly string[]) => {
    const requested = offered.requested(parameters, ids)
    const nothing = requested.detailed.length === 0 && requested.scoped.length === 0
    return nothing && parameters.scope !== undefined ? { detailed: [], scoped: ids } : requested
  }

  const give = (
    { offeringId, linkNumber, jti, expiresAt }: PreAuthorizedCode,
    given: Omit<Parameters<NewTokens['give']>[0], 'code' | 'offeringId' | 'linkNumber'>,
    client: TokenClient,
    now: Date,
  ): Promise<GivenToken> =>
    tokens.give({ code: { hash: jti, expiresAt }, offeringId, linkNumber, ...given }, client, now)

  /**
   * Handles the usual request, for all credentials of a plain offering, in one statement (`bench/rows/issuance-flows.ts`
   * measures it). Returns undefined if the offering is closed. The caller then reads the offering to find the reason.
   */
  const plainToken = async (code: PreAuthorizedCode, sent: TokenParameters, client: TokenClient, now: Date) => {
    const { scope, authorization_details: details, tx_code: txCode } = sent
    if (code.plain === undefined || [scope, details, txCode].some((parameter) => parameter !== undefined))
      return undefined
    const session = code.plain.hasSession ? 'unread' : null
    const given = await give(code, { detailed: [], scoped: [], session }, client, now)
    if (given.outcome === 'stored') return given.members
    if (given.outcome === 'closed') return undefined
    throw REFUSALS[given.outcome](client.wallet)
  }

  return async (sent, client) => {
    const code = codeOf(sent)
    const now = clock()
    const plain = await plainToken(code, sent, client, now)
    if (plain !== undefined) return plain
    const offering = await store.offering(code.offeringId)
    if (offering === undefined) throw unknownCode()
    const reason = closedReason(offering, now, code.linkNumber)
    if (reason !== undefined) throw new OAuthError('invalid_grant', reason)
    const profile = profileNamed(offering.profile)
    const ids = offered.configurations(offering)
    const parameters = profile.parameters(sent, offered.types(ids))
    const requested = narrowed(parameters, ids)
    await assertTxCode(offering, parameters.tx_code)
    const { session } = offering
    // With a refresh token, the wallet can take the deferred credential after its access token has expired.
    const mayWait = offering.deferred || (offering.claimsAtIssuance && !isDraft(offering.profile))
    const refresh = mayWait ? tokens.firstRefreshToken(client, now) : undefined
    const authorization: TokenAuthorization | undefined =
      refresh === undefined
        ? undefined
        : {
            id: newId(),
            by: 'pre-authorized-code',
            clientId: clientOf(parameters, client.wallet),
            refresh: refresh.stored,
          }
    const given = await give(
      code,
      {
        ...requested,
        session: session === null ? null : moved(session, 'TokenIssued'),
        ...(authorization === undefined ? {} : { authorization }),
      },
      client,
      now,
    )
    if (given.outcome !== 'stored') throw REFUSALS[given.outcome](client.wallet)
    const response = {
      ...given.members,
      ...(refresh === undefined ? {} : { refresh_token: refresh.token }),
      ...grantedMembers(requested),
    }
    return profile.tokenResponse(response, nonceMembers)
  }
}
