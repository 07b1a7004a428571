import type { Deps } from '../../../deps.js'
import { OAuthError } from '../../../protocol/oauth/error.js'
import { PRE_AUTHORIZED_CODE_GRANT, zAuthorizationDetails } from '../../../protocol/openid4vci/requests.js'
import { ACCESS_TOKEN_SECONDS, newAccessToken, sha256 } from '../access-token.js'
import { CLOSED, closedReason, offeredConfigurations } from '../offer.js'
import { moved } from '../sessions/session.js'
import type { TokenOutcome, WalletOffering } from '../store.js'
import { TX_CODE_LOCKED, txCodeMatches } from '../tx-code.js'
import type { Grant, TokenParameters, TokenResponse } from './grant.js'

function requiredText(parameters: TokenParameters, name: string): string {
  const value = parameters[name]
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing.`)
  return value
}

async function offeringOf(deps: Deps, parameters: TokenParameters) {
  const code = deps.seals.openCode(requiredText(parameters, 'pre-authorized_code'))
  const offering = code === undefined ? undefined : await deps.stores.openid4vci.offering(code.offeringId)
  if (code === undefined || offering === undefined) {
    throw new OAuthError('invalid_grant', 'The pre-authorized code is unknown or has expired.')
  }
  return { offering, jti: code.jti }
}

/** Five attempts for each session, however often its offer is fetched; the last wrong one ends it. */
async function assertTxCode(deps: Deps, { session }: WalletOffering, sent: string | undefined): Promise<void> {
  const hash = session?.txCodeHash ?? null
  // §6.3: a transaction code that is not expected, or expected and missing, is an invalid request.
  if (session === null || hash === null) {
    if (sent !== undefined) throw new OAuthError('invalid_request', 'tx_code is not expected for this offer.')
    return
  }
  if (sent === undefined) throw new OAuthError('invalid_request', 'tx_code is missing.')
  if (txCodeMatches(deps.sealingKey('tx-code'), session.id, sent, hash)) return
  const locked = moved(session, 'Error', TX_CODE_LOCKED)
  const left = await deps.stores.offerSessions.countWrongTxCode(locked, deps.clock())
  if (left === 0) throw new OAuthError('invalid_grant', TX_CODE_LOCKED)
  throw new OAuthError('invalid_grant', `The transaction code is wrong. Attempts left: ${left}.`)
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** §6.1.1: authorization_details may narrow the offer; §6.2: the answer then names what may be taken. */
function grantedConfigurations(deps: Deps, offering: WalletOffering, sent: string | undefined): readonly string[] {
  if (sent === undefined) return []
  // RFC 9396 §5.
  const refusal = (description: string) => new OAuthError('invalid_authorization_details', description)
  const parsed = zAuthorizationDetails.safeParse(parsedJson(sent))
  if (!parsed.success) throw refusal('authorization_details must be a JSON array of openid_credential objects.')
  const offered = offeredConfigurations(deps.formats, offering)
  for (const { credential_configuration_id: id, locations } of parsed.data) {
    if (!offered.includes(id)) throw refusal(`authorization_details name ${id}, which is not offered.`)
    if (locations?.includes(deps.config.issuerBaseUrl) === false)
      throw refusal('The locations of authorization_details must hold the credential issuer identifier.')
  }
  return [...new Set(parsed.data.map((detail) => detail.credential_configuration_id))]
}

const REFUSALS: Readonly<Record<Exclude<TokenOutcome, 'stored'>, string>> = {
  used: 'The pre-authorized code has been used already.',
  closed: CLOSED,
}

async function handle(deps: Deps, parameters: TokenParameters): Promise<TokenResponse> {
  const { offering, jti } = await offeringOf(deps, parameters)
  const now = deps.clock()
  const reason = closedReason(offering, now)
  if (reason !== undefined) throw new OAuthError('invalid_grant', reason)
  const granted = grantedConfigurations(deps, offering, parameters.authorization_details)
  await assertTxCode(deps, offering, parameters.tx_code)
  const accessToken = newAccessToken(deps.random)
  const { offeringId, session } = offering
  const outcome = await deps.stores.openid4vci.insertToken(
    {
      tokenHash: sha256(accessToken),
      jti,
      offeringId,
      configurationIds: granted,
      expiresAt: new Date(now.getTime() + ACCESS_TOKEN_SECONDS * 1000),
    },
    session === null ? null : moved(session, 'TokenIssued'),
    now,
  )
  if (outcome !== 'stored') throw new OAuthError('invalid_grant', REFUSALS[outcome])
  return {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: ACCESS_TOKEN_SECONDS,
    ...(granted.length === 0 ? {} : { authorization_details: granted.map(authorizationDetail) }),
  }
}

/** One credential dataset for each configuration: its identifier is the configuration's. */
const authorizationDetail = (id: string) => ({
  type: 'openid_credential',
  credential_configuration_id: id,
  credential_identifiers: [id],
})

/** OpenID4VCI 1.0 §6.1: single use, with a transaction code where the offer asks for one. */
export const preAuthorizedCode: Grant = { identifier: PRE_AUTHORIZED_CODE_GRANT, handle }
