import type { ReadOptions } from './read-list.js'
import { ListRefusedError } from './refusal.js'
import type { TrustList } from './trust-list.js'

/** Clocks of list operators may be ahead of this service's clock by so much. */
const LEEWAY_MS = 5 * 60_000

/**
 * Refuses a list that is not in force at `now`, is older than the previous one, or belongs to another territory. A list
 * without a sequence number must have a later or equal date of issue. Throws ListRefusedError.
 */
export function requireFresh(list: TrustList, { now, previous, territory }: ReadOptions): void {
  if (territory !== undefined && list.territory !== territory) {
    throw new ListRefusedError(
      'territory',
      `The list is of territory ${list.territory ?? 'unknown'}, not ${territory}.`,
    )
  }
  if (list.issuedAt.getTime() > now.getTime() + LEEWAY_MS) {
    throw new ListRefusedError('not-yet-issued', `The list is issued in the future, at ${list.issuedAt.toISOString()}.`)
  }
  if (list.nextUpdate !== undefined && list.nextUpdate <= now) {
    throw new ListRefusedError('out-of-date', `The list is out of date since ${list.nextUpdate.toISOString()}.`)
  }
  if (previous !== undefined) requireForward(list, previous)
}

function requireForward(list: TrustList, previous: NonNullable<ReadOptions['previous']>): void {
  const { sequenceNumber } = list
  if (previous.sequenceNumber !== undefined) {
    if (sequenceNumber === undefined || sequenceNumber < previous.sequenceNumber) {
      throw new ListRefusedError(
        'sequence-went-back',
        `The list has sequence number ${sequenceNumber ?? 'none'}, but ${previous.sequenceNumber} was read before.`,
      )
    }
    if (sequenceNumber > previous.sequenceNumber) return
  }
  if (list.issuedAt < previous.issuedAt) {
    throw new ListRefusedError(
      'sequence-went-back',
      `The list is of ${list.issuedAt.toISOString()}, but one of ${previous.issuedAt.toISOString()} was read before.`,
    )
  }
}
