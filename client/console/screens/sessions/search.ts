import { dayOf } from '../../ui/days.js'

/** Filters of the sessions, as the address of the screen contains them. */
export interface SessionSearch {
  readonly kind?: 'offers'
  readonly state?: string
  readonly from?: string
  readonly to?: string
}

/** The filters in an address. Other members and invalid values are left out. */
export function sessionSearch({ kind, state, from, to }: Readonly<Record<string, unknown>>): SessionSearch {
  const [first, last] = [dayOf(from), dayOf(to)]
  return {
    ...(kind === 'offers' ? { kind } : {}),
    ...(typeof state === 'string' ? { state } : {}),
    ...(first === undefined ? {} : { from: first }),
    ...(last === undefined ? {} : { to: last }),
  }
}
