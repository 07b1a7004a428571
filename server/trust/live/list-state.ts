import type { ListDefinition } from '../../config/trust-lists.js'
import type { TrustList } from '../../protocol/trust-lists/trust-list.js'
import type { DocumentState } from '../document-store.js'
import { listCheckOf, type TrustListCheck } from '../list-check.js'

/** Whether a list can be used, the best state first. `failing`: it can, but the last attempt to read it again failed. */
export const LIST_STATES = ['usable', 'failing', 'unusable'] as const

/** What is known about a list that decides whether it can be used. */
export interface KnownList {
  readonly definition: Pick<ListDefinition, 'maxAgeHours'>
  readonly state: DocumentState | undefined
  /** The content; undefined if there is none that this process accepts. */
  readonly list: Pick<TrustList, 'nextUpdate'> | undefined
  /** Why this process refuses the stored content. */
  readonly refused: { readonly check: TrustListCheck; readonly sentence: string } | undefined
}

export interface ListStatus {
  readonly state: (typeof LIST_STATES)[number]
  /** The failed check, by name; undefined for a usable list. */
  readonly check?: TrustListCheck
  /** Why the list cannot be used, or why it could not be read again. It begins in small letters and has no full stop. */
  readonly reason?: string
  /** Until when the list can be used. */
  readonly until?: Date
}

/** `maxAgeHours` of a list without an end of its own, such as a VICAL without `nextUpdate`. It would otherwise never end. */
const HOURS_WITHOUT_END = 168

const maxAgeOf = ({ definition, list }: Omit<KnownList, 'refused'>): number | undefined =>
  definition.maxAgeHours ?? (list?.nextUpdate === undefined ? HOURS_WITHOUT_END : undefined)

/**
 * Until when content is trusted: its own end, or the end of `maxAgeHours` since its address last confirmed it. A list without
 * an end needs a confirmation within a week.
 */
export function untilOf(known: Omit<KnownList, 'refused'>): Date {
  const { state, list } = known
  const hours = maxAgeOf(known)
  const confirmed = state?.checkedAt?.getTime() ?? 0
  const ends = hours === undefined ? [] : [confirmed + hours * 3_600_000]
  if (list?.nextUpdate !== undefined) ends.push(list.nextUpdate.getTime())
  return new Date(Math.min(...ends))
}

const withoutStop = (sentence: string): string => sentence.replace(/\.$/, '')

/** The last failed attempt as part of a sentence. */
const failureOf = (state: DocumentState | undefined): string =>
  state?.failure == null ? '' : `; the last attempt failed: ${withoutStop(state.failure)}`

const failedCheckOf = ({ failedCheck }: DocumentState): TrustListCheck =>
  failedCheck === null ? 'unreachable' : listCheckOf(failedCheck)

/** Whether a list can be used now, and why not. */
export function statusOf(known: KnownList, now: Date): ListStatus {
  const { state, list, refused } = known
  if (list === undefined) {
    if (refused !== undefined) {
      const end = refused.check === 'out-of-date' ? state?.nextUpdate : undefined
      const reason = end == null ? withoutStop(refused.sentence) : `list is out of date since ${end.toISOString()}`
      return { state: 'unusable', check: refused.check, reason: `${reason}${failureOf(state)}` }
    }
    if (state?.failure != null)
      return {
        state: 'unusable',
        check: failedCheckOf(state),
        reason: `list could not be read: ${withoutStop(state.failure)}`,
      }
    return { state: 'unusable', check: 'not-read', reason: 'list has not been read yet' }
  }
  const until = untilOf(known)
  if (until > now) {
    if (state?.failure == null) return { state: 'usable', until }
    return { state: 'failing', check: failedCheckOf(state), reason: withoutStop(state.failure), until }
  }
  const isOwnEnd = list.nextUpdate !== undefined && list.nextUpdate <= now
  const reason = isOwnEnd
    ? `list is out of date since ${list.nextUpdate?.toISOString()}`
    : `list was last confirmed at ${state?.checkedAt?.toISOString()}, more than ${maxAgeOf(known)} hours ago`
  const check = isOwnEnd ? 'out-of-date' : 'not-confirmed'
  return { state: 'unusable', check, reason: `${reason}${failureOf(state)}`, until }
}
