import type { Deps } from '../../../deps.js'
import { OAuthError } from '../../../protocol/oauth/error.js'
import { PRE_AUTHORIZED_CODE_GRANT, zAuthorizationDetails } from '../../../protocol/openid4vci/requests.js'
import { ACCESS_TOKEN_SECONDS, newAccessToken, sha256 } from '../access-token.js'
import { closedReason, offeredConfigurations } from '../offer.js'
import { canMove, moved } from '../session.js'
import type { WalletOffering } from '../store.js'
import { TX_CODE_ATTEMPTS, txCodeMatches } from '../tx-code.js'
import type { Grant, TokenParameters, TokenResponse } from './grant.js'

const LOCKED = `The transaction code is locked after ${TX_CODE_ATTEMPTS} wrong attempts.`

function requiredText(parameters: TokenParameters, name: string): string {
  const value = parameters[name]
  if (typeof value !== 'string' || value === '') throw new OAuthError('invalid_request', `${name} is missing.`)
  return value
}

/** Five attempts for each session, however often its offer is fetched; the last wrong one ends it. */
async function assertTxCode(deps: Deps, offering: WalletOffering, sent: unknown): Promise<void> {
  const { session } = offering
  const hash = session?.txCodeHash ?? null
  // §6.3: a transaction code that is not expected, or expected and missing, is an invalid request.
  if (session === null || hash === null) {
    if (sent !== undefined) throw new OAuthError('invalid_request', 'tx_code is not expected for this offer.')
    return
  }
  if (typeof sent !== 'string' || sent === '') throw new OAuthError('invalid_request', 'tx_code is missing.')
  const left = await deps.stores.issuing.takeTxCodeAttempt(session.id)
  if (left === undefined) throw new OAuthError('invalid_grant', LOCKED)
  if (txCodeMatches(deps.sealingKey('tx-code'), session.id, sent, hash)) return
  if (left > 0) throw new OAuthError('invalid_grant', `The transaction code is wrong. Attempts left: ${left}.`)
  await deps.stores.issuing.move(moved(session, 'Error', LOCKED), deps.clock())
  throw new OAuthError('invalid_grant', LOCKED)
}

/** §6.1.1: authorization_details may narrow the offer; §6.2: the answer then names what may be taken. */
function grantedConfigurations(offering: WalletOffering, sent: unknown): readonly string[] {
  if (sent === undefined) return []
  const parsed = zAuthorizationDetails.safeParse(typeof sent === 'string' ? parsedJson(sent) : sent)
  if (!parsed.success) {
    throw new OAuthError('invalid_request', 'authorization_details must be an array of openid_credential objects.')
  }
  const ids = parsed.data.map((detail) => detail.credential_configuration_id)
  const offered = offeredConfigurations(offering)
  const foreign = ids.find((id) => !offered.includes(id))
  if (foreign !== undefined)
    throw new OAuthError('invalid_request', `authorization_details name ${foreign}, which is not offered.`)
  return [...new Set(ids)]
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function handle(deps: Deps, parameters: TokenParameters): Promise<TokenResponse> {
  const code = deps.seals.openCode(requiredText(parameters, 'pre-authorized_code'))
  const offering = code === undefined ? undefined : await deps.stores.issuing.offering(code.offeringId)
  if (code === undefined || offering === undefined) {
    throw new OAuthError('invalid_grant', 'The pre-authorized code is unknown or has expired.')
  }
  const now = deps.clock()
  const reason = closedReason(offering, now)
  if (reason !== undefined) throw new OAuthError('invalid_grant', reason)
  const granted = grantedConfigurations(offering, parameters.authorization_details)
  await assertTxCode(deps, offering, parameters.tx_code)
  const accessToken = newAccessToken(deps.random)
  const { session } = offering
  const next = session !== null && canMove(session.state, 'TokenIssued') ? moved(session, 'TokenIssued') : null
  const stored = await deps.stores.issuing.insertToken(
    {
      tokenHash: sha256(accessToken),
      jti: code.jti,
      offeringId: code.offeringId,
      configurationIds: granted,
      expiresAt: new Date(now.getTime() + ACCESS_TOKEN_SECONDS * 1000),
    },
    next,
    now,
  )
  if (!stored) throw new OAuthError('invalid_grant', 'The pre-authorized code has been used already.')
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
