import type { Deps } from '../../../deps.js'
import { sha256 } from '../../../keys/secret-hash.js'
import { OAuthError } from '../../../protocol/oauth/error.js'
import { PRE_AUTHORIZED_CODE_GRANT } from '../../../protocol/openid4vci/requests.js'
import { accessTokenSeconds, newAccessToken } from '../access-token.js'
import type { WalletClient } from '../client-authentication.js'
import { replayedProof, usedProofs } from '../dpop.js'
import { CLOSED, closedReason, offeredConfigurations } from '../offer.js'
import type { WalletOffering } from '../offer-store.js'
import { nonceMembers } from '../profiles/nonce-members.js'
import { offeredTypes } from '../profiles/offered-types.js'
import { dialectOf } from '../profiles/profiles.js'
import { grantedMembers, requestedConfigurations } from '../requested-configurations.js'
import type { PreAuthorizedCode } from '../sealed.js'
import { type CredentialOfferSession, moved } from '../sessions/session.js'
import type { NewToken, TokenAuthorization, TokenOutcome } from '../tokens/store.js'
import { TX_CODE_LOCKED, txCodeMatches } from '../tx-code.js'
import type { Grant, TokenClient, TokenParameters, TokenResponse } from './grant.js'
import { firstRefreshToken } from './refresh-token.js'

/** As long as that of an authorization request may be. */
const MAX_CLIENT_ID = 4_096

function requiredText(parameters: TokenParameters, name: string): string {
  const value = parameters[name]
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing.`)
  return value
}

const unknownCode = () => new OAuthError('invalid_grant', 'The pre-authorized code is unknown or has expired.')

function codeOf(deps: Pick<Deps, 'seals'>, parameters: TokenParameters): PreAuthorizedCode {
  const code = deps.seals.openCode(requiredText(parameters, 'pre-authorized_code'))
  if (code === undefined) throw unknownCode()
  return code
}

/** Each session has five attempts, even if its offer is fetched again; the fifth wrong code ends it. */
async function assertTxCode(deps: Deps, { session, profile }: WalletOffering, sent: string | undefined): Promise<void> {
  const { txCodeName } = dialectOf(profile)
  const hash = session?.txCodeHash ?? null
  // §6.3: a transaction code that is not expected, or expected and missing, is an invalid request.
  if (session === null || hash === null) {
    if (sent !== undefined) throw new OAuthError('invalid_request', `${txCodeName} is not expected for this offer.`)
    return
  }
  if (sent === undefined) throw new OAuthError('invalid_request', `${txCodeName} is missing.`)
  if (txCodeMatches(deps.sealingKey('tx-code'), session.id, sent, hash)) return
  const locked = moved(session, 'Error', TX_CODE_LOCKED)
  const left = await deps.stores.offerSessions.countWrongTxCode(locked, deps.clock())
  if (left === 0) deps.metrics.offerSession('failed', 'tx-code')
  if (left === undefined || left === 0) throw new OAuthError('invalid_grant', TX_CODE_LOCKED)
  throw new OAuthError('invalid_grant', `The transaction code is wrong. Attempts left: ${left}.`)
}

/** Who the refresh token is given to, as far as the wallet says so. */
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

/** §6.1.1: the offer may be narrowed. RFC 6749 §3.3: a scope that is not granted as it was asked for is answered with what is. */
function narrowed(deps: Pick<Deps, 'config'>, parameters: TokenParameters, offered: readonly string[]) {
  const requested = requestedConfigurations(parameters, offered, deps.config)
  const nothing = requested.detailed.length === 0 && requested.scoped.length === 0
  return nothing && parameters.scope !== undefined ? { detailed: [], scoped: offered } : requested
}

/** What a token is given for, beside its code and its client. */
type Given = Pick<NewToken, 'detailed' | 'scoped' | 'authorization'> & {
  readonly session: CredentialOfferSession | 'unread' | null
}

/** Makes a token and stores it. @returns it, or why it could not be given. */
async function newToken(
  deps: Deps,
  { offeringId, jti, expiresAt: codeExpiresAt }: PreAuthorizedCode,
  given: Given,
  client: TokenClient,
  now: Date,
) {
  const { session, ...granted } = given
  const { dpop, wallet } = client
  const accessToken = newAccessToken(deps.random)
  const seconds = accessTokenSeconds(dpop !== undefined)
  const expiresAt = new Date(now.getTime() + seconds * 1000)
  const outcome = await deps.stores.openid4vci.insertToken(
    {
      tokenHash: sha256(accessToken),
      code: { hash: jti, expiresAt: codeExpiresAt },
      offeringId,
      ...granted,
      dpopJkt: dpop?.jkt ?? null,
      expiresAt,
    },
    session,
    usedProofs(wallet, dpop),
    now,
  )
  const members = { access_token: accessToken, token_type: dpop === undefined ? 'Bearer' : 'DPoP', expires_in: seconds }
  return outcome === 'stored' ? { outcome, members } : { outcome }
}

/**
 * The usual request, for all of a plain offering, in one statement (`bench/rows/issuance-flows.ts` measures it); nothing where the
 * offering is closed: why is found by reading it.
 */
async function plainToken(deps: Deps, code: PreAuthorizedCode, sent: TokenParameters, client: TokenClient, now: Date) {
  const { scope, authorization_details: details, tx_code: txCode } = sent
  if (code.plain === undefined || [scope, details, txCode].some((parameter) => parameter !== undefined))
    return undefined
  const session = code.plain.hasSession ? 'unread' : null
  const given = await newToken(deps, code, { detailed: [], scoped: [], session }, client, now)
  if (given.outcome === 'stored') return given.members
  if (given.outcome === 'closed') return undefined
  throw REFUSALS[given.outcome](client.wallet)
}

async function handle(deps: Deps, sent: TokenParameters, client: TokenClient): Promise<TokenResponse> {
  const code = codeOf(deps, sent)
  const now = deps.clock()
  const plain = await plainToken(deps, code, sent, client, now)
  if (plain !== undefined) return plain
  const offering = await deps.stores.openid4vci.offering(code.offeringId)
  if (offering === undefined) throw unknownCode()
  const reason = closedReason(offering, now)
  if (reason !== undefined) throw new OAuthError('invalid_grant', reason)
  const dialect = dialectOf(offering.profile)
  const offered = offeredConfigurations(deps, offering)
  const parameters = dialect.parameters(sent, offeredTypes(deps, offered))
  const requested = narrowed(deps, parameters, offered)
  await assertTxCode(deps, offering, parameters.tx_code)
  const { session } = offering
  // The wallet can come back for what is deferred after its access token ended.
  const refresh = offering.deferred ? firstRefreshToken(deps, client, now) : undefined
  const authorization: TokenAuthorization | undefined =
    refresh === undefined
      ? undefined
      : {
          id: deps.newId(),
          by: 'pre-authorized-code',
          clientId: clientOf(parameters, client.wallet),
          refresh: refresh.stored,
        }
  const given = await newToken(
    deps,
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
  return dialect.tokenResponse(response, nonceMembers(deps))
}

/** OpenID4VCI 1.0 §6.1: single use, with a transaction code where the offer asks for one. */
export const preAuthorizedCode: Grant = { identifier: PRE_AUTHORIZED_CODE_GRANT, handle }
