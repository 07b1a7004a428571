import { z } from 'zod'

/** PostgreSQL, RFC 3339 and JavaScript can all express each moment of these years, in each offset. */
const [FIRST_MOMENT, LAST_MOMENT] = [Date.UTC(1000, 0), Date.UTC(3000, 0) - 1]

/**
 * The last moment that RFC 3339 can write in UTC, in milliseconds since the epoch. PostgreSQL receives no later moment.
 */
export const LAST_WRITTEN_MOMENT = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** The moment `seconds` later, but not later than the last moment that RFC 3339 can write. */
export const secondsAfter = (moment: Date, seconds: number): Date =>
  new Date(Math.min(moment.getTime() + seconds * 1000, LAST_WRITTEN_MOMENT))

/** The check of a date-time (RFC 3339) before it reaches the database. */
export const withinKnownYears = [
  (value: string): boolean => FIRST_MOMENT <= Date.parse(value) && Date.parse(value) <= LAST_MOMENT,
  { error: 'must lie between the years 1000 and 2999' },
] as const

/** A moment in a request (RFC 3339), with or without an offset. */
export const zMoment = z.iso
  .datetime({ offset: true, abort: true, error: 'must be an ISO 8601 date-time' })
  .refine(...withinKnownYears)
