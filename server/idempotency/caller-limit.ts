import { LruMap } from '../protocol/jose/lru-map.js'

/** The highest number of keys of a caller within 24 hours. */
export const MAX_KEYS = 1_000_000

/** After this number of new keys of a caller, a process counts the caller's keys again. */
const COUNTED_EVERY = 1_000

/** A refused caller is counted again after this time, in milliseconds: the time that the refusal names in `Retry-After`. */
const REFUSED_MS = 60_000

/** Callers whose allowance a process knows. */
const MAX_CALLERS = 10_000

/** The ports of {@link createCallerLimit}. */
export interface CallerLimitPorts {
  /** Counts the keys of a caller, up to `most`. */
  readonly count: (caller: string, now: Date, most: number) => Promise<number>
  readonly clock: () => Date
  readonly maxKeys: number
}

/**
 * Limits the keys of a caller. Counting up to a million rows takes longer than a request. A process therefore counts
 * at intervals, and several processes may together exceed the limit by 1,000 keys each.
 *
 * @returns a function that says whether a caller may have a further key
 */
export function createCallerLimit({ count, clock, maxKeys }: CallerLimitPorts): (caller: string) => Promise<boolean> {
  const allowed = new LruMap<string, number>(MAX_CALLERS)
  const refusedUntil = new LruMap<string, number>(MAX_CALLERS)
  return async (caller) => {
    const now = clock()
    if (now.getTime() < (refusedUntil.get(caller) ?? 0)) return false
    let left = allowed.get(caller) ?? 0
    // The key of the running request is counted too.
    if (left === 0) left = Math.min(COUNTED_EVERY, maxKeys + 1 - (await count(caller, now, maxKeys + 1)))
    if (left <= 0) {
      refusedUntil.set(caller, now.getTime() + REFUSED_MS)
      return false
    }
    allowed.set(caller, left - 1)
    return true
  }
}
