import { z } from 'zod'
import { route } from '../api/contract.js'
import { withinKnownYears } from '../api/moment.js'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** How much may be asked for at once: some hundred steps. */
export const LONGEST = { hour: 31 * DAY_MS, day: 366 * DAY_MS }

export const STEP_MS = { hour: HOUR_MS, day: DAY_MS }

const zTime = z.iso.datetime({ offset: true, abort: true })

const zCount = z.int().min(0)

const zFigures = {
  offers: zCount.meta({ description: 'Offerings and credential offers that were made.' }),
  issued: zCount.meta({ description: 'Credentials, each once, however many copies and formats it has.' }),
  revoked: zCount,
  requests: zCount.meta({ description: 'Authorization requests that were made.' }),
  offerSessions: z
    .strictObject({ issued: zCount, expired: zCount, failed: zCount })
    .meta({ description: 'Credential-offer sessions by outcome, which counts when it comes.' }),
  verificationSessions: z
    .strictObject({ verified: zCount, refused: zCount, expired: zCount })
    .meta({ description: 'Verification sessions by outcome, which counts when it comes.' }),
}

export const readStatistics = {
  meta: route('GET', '/api/v1/statistics', {
    tag: 'Operations',
    summary: 'How much was offered, issued, revoked and verified',
    description:
      'By hour or day (UTC), of all callers, and what was issued by type and format. Counters follow what happens by seconds, a minute at ' +
      'most; `completeAt` says up to when everything is counted, which takes a while on an installation that has run without them. They ' +
      'outlive the sessions that they count. A credential that is taken in another format minutes later counts in its first ones.',
    access: 'operator',
  }),
  input: z
    .strictObject({
      // Its distance from `to` is bounded, so it has no bound of its own.
      from: zTime.optional().meta({
        description: 'The first hour or day has this moment; 30 days (with `hour` 24 hours) before `to` unless given.',
      }),
      to: zTime
        .refine(...withinKnownYears)
        .optional()
        .meta({ description: 'The last one has the moment before this; now unless given.' }),
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
      description: 'Of the whole time, the most frequent first, 200 at most. A credential in two formats is in both.',
    }),
    failedChecks: z.array(z.strictObject({ check: z.string(), count: zCount })).meta({
      description: 'Of answers that were refused, the check that failed first; `other` where none is on record.',
    }),
  }),
}
