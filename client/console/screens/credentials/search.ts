import { dayOf } from '../../ui/days.js'
import { type Names, namesInAddress } from '../../ui/names.js'

const STATUSES = ['active', 'suspended', 'expired', 'revoked'] as const

/** Filters of the credentials, as the address of the screen contains them. */
export interface CredentialSearch extends Names {
  readonly schema?: string
  readonly status?: (typeof STATUSES)[number]
  readonly holderDid?: string
  readonly idPrefix?: string
  /** Only credentials that the user created, claimed or signed. */
  readonly mine?: 'true'
  readonly from?: string
  readonly to?: string
}

// The router parses a value of digits as a number.
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined

/** The filters in an address. Other members and invalid values are left out. */
export function credentialSearch(given: Readonly<Record<string, unknown>>): CredentialSearch {
  const { status } = given
  const members = {
    schema: textOf(given.schema),
    status: STATUSES.find((known) => known === status),
    holderDid: textOf(given.holderDid),
    idPrefix: textOf(given.idPrefix)?.toLowerCase(),
    ...namesInAddress(given),
    mine: given.mine === 'true' || given.mine === true ? ('true' as const) : undefined,
    from: dayOf(given.from),
    to: dayOf(given.to),
  }
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}
