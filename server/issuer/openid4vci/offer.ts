import type { Deps } from '../../deps.js'
import { OAuthError } from '../../protocol/oauth/error.js'
import { PRE_AUTHORIZED_CODE_GRANT } from '../../protocol/openid4vci/requests.js'
import { configurationIdsOf, issuabilityByDefault } from '../issuance/configurations.js'
import { isHaip } from './haip.js'
import type { WalletOffering } from './offer-store.js'
import { dialectOf, takeableFormats } from './profiles/profiles.js'
import { offerNotFound } from './refusals.js'
import type { PreAuthorizedCode } from './sealed.js'
import { TX_CODE_ATTEMPTS, TX_CODE_LOCKED } from './tx-code.js'

/** Configurations that a wallet may take from an offering. */
export function offeredConfigurations(
  deps: Pick<Deps, 'config' | 'formats'>,
  offering: Pick<WalletOffering, 'offered' | 'schemaName' | 'profile' | 'asMdoc'>,
): readonly string[] {
  const { offered, schemaName, asMdoc } = offering
  const type = issuabilityByDefault(deps.config, asMdoc)
  const possible = configurationIdsOf(takeableFormats(deps, offering), schemaName, type)
  return offered.length === 0 ? possible : offered.filter((id) => possible.includes(id))
}

/** The error for an offer that closed during the request. */
export const CLOSED = 'The credential offer has ended, has expired or has been used up.'

export const ENDED = 'The credential offer has ended.'

/** Why an offering is closed; undefined while it is open. */
export function closedReason({ session, ...offering }: WalletOffering, now: Date): string | undefined {
  if (session !== null && session.txCodeAttempts >= TX_CODE_ATTEMPTS) return TX_CODE_LOCKED
  const usedUp = offering.redemptionLimit !== null && offering.redemptionCount >= offering.redemptionLimit
  if (usedUp) return 'The credential offer has been used up.'
  if (offering.expiresAt !== null && offering.expiresAt <= now) return 'The credential offer has expired.'
  return session?.state === 'Error' ? ENDED : undefined
}

type OfferedGrant = Pick<WalletOffering, 'offeringId' | 'grant' | 'session' | 'profile' | 'deferred'>

/**
 * What the code of an offering says of it, where nothing of the offering but that it is open decides over a token: 1.0 is
 * spoken, no transaction code is expected and nobody has to wait. None of that ever changes.
 */
function plainOffering({ session, profile, deferred }: OfferedGrant): PreAuthorizedCode['plain'] {
  const plain = profile === 'final' && !deferred && (session === null || session.txCodeHash === null)
  return plain ? { hasSession: session !== null } : undefined
}

/** The one grant of an offer, with a code or an `issuer_state` that is sealed and not stored. */
function grantsOf({ config, seals }: Pick<Deps, 'config' | 'seals'>, offering: OfferedGrant) {
  const { offeringId, grant, session } = offering
  // HAIP 1.0 §4.2: an offering that nobody chose a grant for.
  if (isHaip({ config }, offering) || grant === 'authorization_code')
    return { authorization_code: { issuer_state: seals.issuerState(offeringId) } }
  const txCode = session?.txCode ?? null
  const code = { 'pre-authorized_code': seals.preAuthorizedCode(offeringId, plainOffering(offering)) }
  return { [PRE_AUTHORIZED_CODE_GRANT]: { ...code, ...(txCode === null ? {} : { tx_code: { ...txCode } }) } }
}

/**
 * The credential offer object (OpenID4VCI 1.0 §4.1.1), as wallets of its profile know it. It names one grant, because some
 * wallets fail on two.
 */
export function credentialOfferOf(
  deps: Deps,
  offering: OfferedGrant & Pick<WalletOffering, 'offered' | 'schemaName' | 'profile' | 'asMdoc'>,
): Record<string, unknown> {
  const offer = {
    credential_issuer: deps.config.issuerBaseUrl,
    credential_configuration_ids: [...offeredConfigurations(deps, offering)],
    grants: grantsOf(deps, offering),
  }
  return { ...dialectOf(offering.profile).offer(offer) }
}

/**
 * Hands the offer to a wallet. Repeatable: each time with a fresh code, which is sealed and not stored; only the first
 * one of a session writes.
 *
 * @param counts whether this is a wallet that fetches the offer.
 * @throws OAuthError 404 for an unknown offer, 400 for one that has ended.
 */
export async function handOut(deps: Deps, id: string, counts: boolean) {
  const { openid4vci } = deps.stores
  const now = deps.clock()
  const offering = counts ? await openid4vci.fetchedOffering(id, !isHaip(deps), now) : await openid4vci.offering(id)
  if (offering === undefined) throw offerNotFound()
  const reason = closedReason(offering, now)
  if (reason !== undefined) throw new OAuthError('invalid_request', reason)
  const { session } = offering
  if (isHaip(deps, offering) && session !== null && offering.grant !== 'authorization_code')
    throw new OAuthError('invalid_request', 'Pre-authorized codes are no longer given here.')
  return credentialOfferOf(deps, offering)
}
