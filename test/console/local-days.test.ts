import { afterEach, beforeEach, expect, it } from 'vitest'
import { byLocalDay, midnightBefore } from '../../client/console/queries/local-days.js'

const before = process.env.TZ
beforeEach(() => {
  process.env.TZ = 'America/New_York'
})
afterEach(() => {
  if (before === undefined) delete process.env.TZ
  else process.env.TZ = before
})

it('the hours of a day in the zone of the browser are added, groups of counters included', () => {
  const step = (at: string, issued: number) => ({ at, issued, verificationSessions: { verified: issued, refused: 1 } })
  // Midnight in New York is 05:00 UTC in winter.
  const steps = [
    step('2026-01-05T04:00:00.000Z', 1),
    step('2026-01-05T05:00:00.000Z', 2),
    step('2026-01-06T04:00:00.000Z', 4),
  ]
  expect(byLocalDay(steps)).toEqual([
    { at: '2026-01-05T04:00:00.000Z', issued: 1, verificationSessions: { verified: 1, refused: 1 } },
    { at: '2026-01-05T05:00:00.000Z', issued: 6, verificationSessions: { verified: 6, refused: 2 } },
  ])
})

it('a period of days begins at a midnight of the zone, also across the change to summer time', () => {
  expect(midnightBefore(29, new Date('2026-03-20T15:00:00Z')).toISOString()).toBe('2026-02-19T05:00:00.000Z')
  expect(midnightBefore(0, new Date('2026-03-20T15:00:00Z')).toISOString()).toBe('2026-03-20T04:00:00.000Z')
})
