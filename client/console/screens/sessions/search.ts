import { dayOf } from '../../ui/days.js'
import { type Names, namesInAddress } from '../../ui/names.js'

/** Filters of the sessions, as the address of the screen contains them. */
export interface SessionSearch extends Names {
  readonly kind?: 'offers'
  readonly state?: string
  /** Only sessions that the user created. */
  readonly mine?: 'true'
  readonly from?: string
  readonly to?: string
}

/** The filters in an address. Other members and invalid values are left out. */
export function sessionSearch(given: Readonly<Record<string, unknown>>): SessionSearch {
  const { kind, state, mine, from, to } = given
  const [first, last] = [dayOf(from), dayOf(to)]
  return {
    ...(kind === 'offers' ? { kind } : {}),
    ...(typeof state === 'string' ? { state } : {}),
    ...namesInAddress(given),
    // The router parses `true` as a boolean.
    ...(mine === 'true' || mine === true ? { mine: 'true' } : {}),
    ...(first === undefined ? {} : { from: first }),
    ...(last === undefined ? {} : { to: last }),
  }
}
