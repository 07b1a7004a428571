import { dayOf } from '../../ui/days.js'

/** Which sessions are shown, as the address says it. */
export interface SessionSearch {
  readonly kind?: 'offers'
  readonly state?: string
  readonly from?: string
  readonly to?: string
}

/** What of an address counts; the rest is left out. */
export function sessionSearch({ kind, state, from, to }: Readonly<Record<string, unknown>>): SessionSearch {
  const [first, last] = [dayOf(from), dayOf(to)]
  return {
    ...(kind === 'offers' ? { kind } : {}),
    ...(typeof state === 'string' ? { state } : {}),
    ...(first === undefined ? {} : { from: first }),
    ...(last === undefined ? {} : { to: last }),
  }
}
