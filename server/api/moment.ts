import { z } from 'zod'

/**
 * The first and the last accepted time. PostgreSQL, RFC 3339 and JavaScript can express every time in this range, with
 * every offset.
 */
const [FIRST_MOMENT, LAST_MOMENT] = [Date.UTC(1000, 0), Date.UTC(3000, 0) - 1]

/**
 * The last time that RFC 3339 can express in UTC, in milliseconds since the epoch. Later times are not sent to
 * PostgreSQL.
 */
export const LAST_WRITTEN_MOMENT = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** The time that is `seconds` after `moment`, but not later than the last time that RFC 3339 can express. */
export const secondsAfter = (moment: Date, seconds: number): Date =>
  new Date(Math.min(moment.getTime() + seconds * 1000, LAST_WRITTEN_MOMENT))

/** The check of a date-time (RFC 3339) before it reaches the database. */
export const withinKnownYears = [
  (value: string): boolean => FIRST_MOMENT <= Date.parse(value) && Date.parse(value) <= LAST_MOMENT,
  { error: 'must lie between the years 1000 and 2999' },
] as const

/** A date-time in a request (RFC 3339), in UTC or with an offset. */
export const zMoment = z.iso
  .datetime({
    offset: true,
    abort: true,
    // An absent member has the usual error.
    error: ({ input }) => (input === undefined ? undefined : 'must be an ISO 8601 date-time'),
  })
  .refine(...withinKnownYears)
