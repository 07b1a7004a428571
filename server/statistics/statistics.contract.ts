import { z } from 'zod'
import { route } from '../api/contract.js'
import { withinKnownYears } from '../api/moment.js'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** The longest period that one request may ask for, in milliseconds. It has several hundred steps. */
export const LONGEST = { hour: 31 * DAY_MS, day: 366 * DAY_MS }

export const STEP_MS = { hour: HOUR_MS, day: DAY_MS }

const zTime = z.iso.datetime({ offset: true, abort: true })

const zCount = z.int().min(0)

const zFigures = {
  offers: zCount.meta({ description: 'New offerings and credential offers.' }),
  issued: zCount.meta({
    description: 'Issued credentials. A credential is counted once, even if it has several copies and formats.',
  }),
  revoked: zCount,
  requests: zCount.meta({ description: 'New authorization requests.' }),
  offerSessions: z
    .strictObject({ issued: zCount, expired: zCount, failed: zCount })
    .meta({ description: 'Credential-offer sessions by outcome. A session is counted at the time of its outcome.' }),
  verificationSessions: z
    .strictObject({ verified: zCount, refused: zCount, expired: zCount })
    .meta({ description: 'Verification sessions by outcome. A session is counted at the time of its outcome.' }),
}

export const readStatistics = {
  meta: route('GET', '/api/v1/statistics', {
    tag: 'Operations',
    summary: 'Read how much was offered, issued, revoked and verified',
    description:
      'Counters by hour or day (UTC), for all callers, and issued credentials by type and format. Events are counted within seconds, at most within ' +
      'one minute. All events before `completeAt` are counted. An installation that had no counters before needs some time to count its old events. Counters ' +
      'stay when the sessions that they count are deleted. If a wallet takes a credential in a further format minutes later, the credential is counted only in its first formats.',
    access: 'operator',
  }),
  input: z
    .strictObject({
      // The distance between `from` and `to` is limited, so `from` needs no separate limit.
      from: zTime.optional().meta({
        description: 'A time in the first hour or day. Default: 30 days before `to`, or 24 hours with `hour`.',
      }),
      to: zTime
        .refine(...withinKnownYears)
        .optional()
        .meta({
          description:
            'The end (exclusive). The last hour or day is the one that contains the millisecond before this time. Default: now.',
        }),
      step: z.enum(['hour', 'day']).default('day'),
    })
    .prefault({}),
  output: z.strictObject({
    from: z.iso.datetime(),
    to: z.iso.datetime(),
    step: z.enum(['hour', 'day']),
    completeAt: z.iso.datetime(),
    steps: z.array(z.strictObject({ at: z.iso.datetime(), ...zFigures })),
    issuedByType: z.array(z.strictObject({ type: z.string(), format: z.string(), count: zCount })).meta({
      description:
        'For the whole period, the most frequent first, at most 200. A credential in two formats is counted in both formats.',
    }),
    failedChecks: z.array(z.strictObject({ check: z.string(), count: zCount })).meta({
      description: 'For refused answers: the check that failed first, or `other` if no failed check is stored.',
    }),
  }),
}
