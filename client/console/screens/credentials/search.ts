import { dayOf } from '../../ui/days.js'

/** Filters of the credentials, as the address of the screen contains them. */
export interface CredentialSearch {
  readonly schema?: string
  readonly status?: 'active' | 'suspended' | 'revoked'
  readonly holderDid?: string
  readonly idPrefix?: string
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
    status: status === 'active' || status === 'suspended' || status === 'revoked' ? status : undefined,
    holderDid: textOf(given.holderDid),
    idPrefix: textOf(given.idPrefix)?.toLowerCase(),
    from: dayOf(given.from),
    to: dayOf(given.to),
  }
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}
