import type { Config } from '../../config/config.js'
import type { Formats } from '../../formats/registry.js'
import { PRE_AUTHORIZED_CODE_GRANT } from '../../protocol/openid4vci/requests.js'
import { configurationIdsOf, issuabilityOfRow } from '../issuance/configurations.js'
import { isHaip } from './haip.js'
import type { WalletOffering } from './offer-store.js'
import { profileNamed, takeableFormats } from './profiles/profiles.js'
import type { PreAuthorizedCode, Seals } from './sealed.js'
import { TX_CODE_ATTEMPTS, TX_CODE_LOCKED } from './tx-code.js'

/** The settings and formats that determine the configurations of an installation. */
interface Offerer {
  readonly config: Pick<Config, 'issuerLegacyProfiles' | 'issuerProfile'>
  readonly formats: Pick<Formats, 'issued' | 'former'>
}

/** The members of an offering that determine its configurations. */
export type OfferedBy = Pick<WalletOffering, 'offered' | 'schemaName' | 'profile' | 'asMdoc'>

/** Ids of the configurations that a wallet may take from an offering. */
export function offeredConfigurations({ config, formats }: Offerer, offering: OfferedBy): readonly string[] {
  const { offered, schemaName, asMdoc } = offering
  const type = issuabilityOfRow(asMdoc)
  const possible = configurationIdsOf(takeableFormats({ config, formats }, offering), schemaName, type)
  return offered.length === 0 ? possible : offered.filter((id) => possible.includes(id))
}

/** The error for an offer that closed during the request. */
export const CLOSED = 'The credential offer has ended, has expired or has been used up.'

/** The error for a credential or an offer whose claims were erased. */
export const ERASED = 'The claims of this credential were erased.'

export const ENDED = 'The credential offer has ended.'

export const USED_UP = 'The credential offer has been used up.'

export const HAS_EXPIRED = 'The credential offer has expired.'

/** The error for an earlier link of an offer that was sent again. */
export const REPLACED = 'The credential offer has a new link.'

/** The number of the offering's current link. */
export const linkNumberOf = ({ session }: Pick<WalletOffering, 'session'>): number => session?.linkNumber ?? 0

/**
 * The reason why an offering is closed; undefined while it is open.
 *
 * @param linkNumber the number of the link that the wallet has; by default the current link
 */
export function closedReason(
  { session, ...offering }: WalletOffering,
  now: Date,
  linkNumber = linkNumberOf({ session }),
): string | undefined {
  if (offering.claimsErased) return ERASED
  if (session !== null && session.txCodeAttempts >= TX_CODE_ATTEMPTS) return TX_CODE_LOCKED
  const usedUp = offering.redemptionLimit !== null && offering.redemptionCount >= offering.redemptionLimit
  if (usedUp) return USED_UP
  if (offering.expiresAt !== null && offering.expiresAt <= now) return HAS_EXPIRED
  if (session?.state === 'Error') return ENDED
  return linkNumber === linkNumberOf({ session }) ? undefined : REPLACED
}

/** The members of an offering that determine its grant. */
export type OfferedGrant = Pick<
  WalletOffering,
  'offeringId' | 'grant' | 'session' | 'profile' | 'deferred' | 'claimsAtIssuance'
>

/**
 * The `plain` member for the code of an offering. A token of a plain offering depends on one fact only: whether the
 * offering is open. A plain offering has the profile 1.0, no transaction code, and its claims, and is not deferred. These facts
 * never change under one link.
 */
function plainOffering({ session, profile, deferred, claimsAtIssuance }: OfferedGrant): PreAuthorizedCode['plain'] {
  const plain =
    profile === 'final' && !deferred && !claimsAtIssuance && (session === null || session.txCodeHash === null)
  return plain ? { hasSession: session !== null } : undefined
}

/** Makes codes and states that are sealed and not stored. */
type CodeSeals = Pick<Seals, 'issuerState' | 'preAuthorizedCode'>

/** The only grant of an offer, with a code or an `issuer_state`. */
function grantsOf(config: Pick<Config, 'issuerProfile'>, seals: CodeSeals, offering: OfferedGrant) {
  const { offeringId, grant, session } = offering
  const link = { offeringId, linkNumber: linkNumberOf(offering) }
  // HAIP 1.0 §4.2. This also covers an offering without a chosen grant.
  if (isHaip({ config }, offering) || grant === 'authorization_code')
    return { authorization_code: { issuer_state: seals.issuerState(link) } }
  const txCode = session?.txCode ?? null
  const code = { 'pre-authorized_code': seals.preAuthorizedCode(link, plainOffering(offering)) }
  return { [PRE_AUTHORIZED_CODE_GRANT]: { ...code, ...(txCode === null ? {} : { tx_code: { ...txCode } }) } }
}

/**
 * The credential offer object (OpenID4VCI 1.0 §4.1.1), in the form of its profile. The object names one grant, because
 * some wallets fail on two grants.
 */
export function credentialOfferOf(
  { config, formats, seals }: Offerer & { readonly config: Pick<Config, 'issuerBaseUrl'>; readonly seals: CodeSeals },
  offering: OfferedGrant & OfferedBy,
): Record<string, unknown> {
  const offer = {
    credential_issuer: config.issuerBaseUrl,
    credential_configuration_ids: [...offeredConfigurations({ config, formats }, offering)],
    grants: grantsOf(config, seals, offering),
  }
  return { ...profileNamed(offering.profile).offer(offer) }
}
