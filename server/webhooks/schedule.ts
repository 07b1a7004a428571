const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Milliseconds from each failed try to the next one (Standard Webhooks 1.0.0, "Deliverability and reliability"). */
const DELAYS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR]

/** The largest random part of a delay, so that tries of many events do not come at the same moment. */
const JITTER = 0.1

/**
 * The time of the next try; undefined after the last try.
 *
 * @param failed number of failed tries, at least 1
 * @param random a number from 0 to 1
 */
export function nextTry(failed: number, now: Date, random = Math.random()): Date | undefined {
  const delay = DELAYS[failed - 1]
  return delay === undefined ? undefined : new Date(now.getTime() + delay * (1 + JITTER * random))
}
