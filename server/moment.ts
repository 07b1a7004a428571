import { z } from 'zod'

/** PostgreSQL, RFC 3339 and JavaScript each know every moment of these years, in every offset. */
const [FIRST_MOMENT, LAST_MOMENT] = [Date.UTC(1000, 0), Date.UTC(3000, 0) - 1]

/** The check of a date-time (RFC 3339) that a statement of the database gets. */
export const withinKnownYears = [
  (value: string): boolean => FIRST_MOMENT <= Date.parse(value) && Date.parse(value) <= LAST_MOMENT,
  { error: 'must lie between the years 1000 and 2999' },
] as const

/** A moment of a request (RFC 3339), with or without an offset: a text that `Date.parse` reads. */
export const zMoment = z.iso
  .datetime({ offset: true, abort: true, error: 'must be an ISO 8601 date-time' })
  .refine(...withinKnownYears)
