import type { ReadOptions } from '../read-list.js'
import { ListRefusedError } from '../refusal.js'
import type { ListProfile, ServiceStatus, ServiceUse } from '../trust-list.js'

const ETSI = 'http://uri.etsi.org/19602'
const EU_MDL = 'http://trust.ec.europa.eu/lists/mDL'

/** The demands of a profile of TS 119 602 that decide about trust. */
interface Profile {
  /** `LoTEType` (TS 119 602 §C.2.1). */
  readonly type: string
  readonly issuance: readonly string[]
  readonly status: readonly string[]
  /** `StatusDeterminationApproach` and `SchemeTypeCommunityRules` of a published list. They are not compared. */
  readonly determination: string
  readonly rules: string
}

const etsiProfile = (list: string, service: string, rules: string, determination: string): Profile => ({
  type: `${ETSI}/LoTEType/${list}`,
  determination: `${ETSI}/${determination}/StatusDetn/EU`,
  rules: `${ETSI}/${rules}/schemerules/EU`,
  issuance: [`${ETSI}/SvcType/${service}/Issuance`],
  status: [`${ETSI}/SvcType/${service}/Revocation`],
})

/**
 * The profiles of the EU's lists (TS 119 602 annexes D to H; the Commission's specification of the list of mDL
 * providers).
 */
export const PROFILES: Readonly<Record<ListProfile, Profile>> = {
  pid: etsiProfile('EUPIDProvidersList', 'PID', 'PIDProviders', 'PIDProvidersList'),
  wallet: etsiProfile('EUWalletProvidersList', 'WalletSolution', 'WalletProvidersList', 'WalletProvidersList'),
  wrpac: etsiProfile('EUWRPACProvidersList', 'WRPAC', 'WRPACProvidersList', 'WRPACProvidersList'),
  // The misprint is that of the standard (tables C.2.2 and G.1).
  wrprc: etsiProfile('EUWRPRCProvidersList', 'WRPRC', 'WRPRCProvidersList', 'WRPRCrovidersList'),
  'pub-eaa': etsiProfile('EUPubEAAProvidersList', 'PubEAA', 'PubEAAProvidersList', 'PubEAAProvidersList'),
  mdl: {
    type: `${EU_MDL}/mDLProvidersListType`,
    determination: `${EU_MDL}/mDLProvidersListStatusDetn`,
    rules: `${EU_MDL}/schemerules`,
    // The second URI is not in the specification, but in the Commission's own list.
    issuance: [`${EU_MDL}/SvcType/Issuance`, `${ETSI}/SvcType/mDL/Issuance`],
    status: [`${EU_MDL}/SvcType/Revocation`, `${ETSI}/SvcType/mDL/Revocation`],
  },
}

/** The longest period between two issues (TS 119 602 tables D.1 to I.1): six months. */
const MAX_MONTHS = 6

/**
 * Refuses a list that is not of the profile. Members that only describe the scheme are not compared: the standard's own
 * tables have misprints there, and nothing is trusted because of them.
 */
export function requireProfile(
  profile: ListProfile,
  { type, issuedAt, nextUpdate }: { type: string | undefined; issuedAt: Date; nextUpdate: Date },
): void {
  const wanted = PROFILES[profile]
  if (type !== wanted.type) {
    throw new ListRefusedError('type', `The list is of type ${type ?? 'unknown'}, not ${wanted.type}.`)
  }
  const latest = new Date(issuedAt)
  // The last day of a month may move into the next month. This makes the limit a few days longer, never shorter.
  latest.setUTCMonth(latest.getUTCMonth() + MAX_MONTHS)
  if (nextUpdate > latest) {
    throw new ListRefusedError('profile', `The list is valid for more than ${MAX_MONTHS} months.`)
  }
}

const ISSUANCE = /\/Issuance$/
const STATUS = /\/Revocation$/

/**
 * Uses of a service by its type. A profile has its types to the exclusion of any other. Without a profile, the last part
 * of the URI decides, as in all profiles. A service of another type has no use.
 */
export function usesOf(
  type: string | undefined,
  { profile, serviceTypes }: Pick<ReadOptions, 'profile' | 'serviceTypes'>,
): readonly ServiceUse[] {
  if (type === undefined) return []
  if (profile === undefined && serviceTypes !== undefined) return named(type, serviceTypes)
  if (profile === undefined) return ISSUANCE.test(type) ? ['issuance'] : STATUS.test(type) ? ['status'] : []
  const { issuance, status } = PROFILES[profile]
  if (issuance.includes(type)) return ['issuance']
  return status.includes(type) ? ['status'] : []
}

/** A type that the operator of this service has named. If the type does not say what it is for, it is for both. */
function named(type: string, serviceTypes: readonly string[]): readonly ServiceUse[] {
  if (!serviceTypes.includes(type)) return []
  const uses = usesOf(type, {})
  return uses.length === 0 ? ['issuance', 'status'] : uses
}

const GRANTED = /\/(?:granted|notified)$/
const WITHDRAWN = /\/(?:withdrawn|revoked)$/

/**
 * The state of a service. A list without states trusts each service that it holds (TS 119 602 §6.6.4: the profiles of
 * annexes D to G leave the state out).
 */
export function statusOf(uri: string | undefined): ServiceStatus {
  if (uri === undefined || GRANTED.test(uri)) return 'granted'
  return WITHDRAWN.test(uri) ? 'withdrawn' : 'unknown'
}
