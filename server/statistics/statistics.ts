import type { z } from 'zod'
import { errors } from '../api/errors.js'
import type { MaintenanceTask } from '../maintenance/task.js'
import { LONGEST, type readStatistics, STEP_MS } from './statistics.contract.js'
import type { Counted, StatisticsStore, Step } from './store.js'

type Answer = z.input<typeof readStatistics.output>
type Figures = Answer['steps'][number]

/** Returns the beginning of the step that contains a time. */
const floor = (moment: number, step: Step): number => Math.floor(moment / STEP_MS[step]) * STEP_MS[step]

/** The default number of steps. */
const USUAL = { hour: 24, day: 30 }

/** The number of events in one batch. Counting a batch takes much less than a second. */
const BATCH = 1_000

/** Returns the requested period, extended to whole steps. @throws 400 for a period that is empty or too long */
function timeOf({ from, to, step }: z.output<typeof readStatistics.input>, now: Date): { start: number; end: number } {
  const length = STEP_MS[step]
  const until = to === undefined ? now.getTime() + 1 : Date.parse(to)
  const end = floor(until - 1, step) + length
  const start = from === undefined ? end - USUAL[step] * length : floor(Date.parse(from), step)
  if (start >= end) throw errors.badRequest('from must be before to')
  if (end - start > LONGEST[step]) {
    throw errors.badRequest(`from must be within ${LONGEST[step] / STEP_MS.day} days before to with step ${step}`)
  }
  return { start, end }
}

function figures(at: number, counted: readonly Counted[]): Figures {
  const of = (measure: string, detail = ''): number =>
    counted.find((each) => each.measure === measure && each.detail === detail)?.count ?? 0
  return {
    at: new Date(at).toISOString(),
    offers: of('offers'),
    issued: of('issued'),
    revoked: of('revoked'),
    requests: of('requests'),
    offerSessions: {
      issued: of('offerSessions', 'issued'),
      expired: of('offerSessions', 'expired'),
      failed: of('offerSessions', 'failed'),
    },
    verificationSessions: {
      verified: of('verificationSessions', 'verified'),
      refused: of('verificationSessions', 'refused'),
      expired: of('verificationSessions', 'expired'),
    },
  }
}

/** Dependencies of {@link createStatistics}. */
export interface StatisticsPorts {
  readonly store: Pick<StatisticsStore, 'completeAt' | 'fold' | 'shares' | 'steps'>
  readonly clock: () => Date
}

export type Statistics = ReturnType<typeof createStatistics>

/** Counts and returns how much was offered, issued, revoked and verified. */
export function createStatistics({ store, clock }: StatisticsPorts) {
  /**
   * Counts audit events, including events that are older than the counters. An installation that had no counters before
   * begins with its first event, and each run of the task counts one more batch.
   */
  const count: MaintenanceTask = {
    name: 'count what happened',
    everyMs: 5_000,
    run: async (now) => {
      const { count, first, more } = await store.fold(now, BATCH)
      return { count, more, lateSeconds: first === null ? 0 : Math.max(0, (now.getTime() - first.getTime()) / 1000) }
    },
  }

  return {
    tasks: [count],

    /**
     * Returns the figures of a period, including steps without events. @throws 400 for a period that is empty or too
     * long
     */
    async read(input: z.output<typeof readStatistics.input>): Promise<Answer> {
      const { step } = input
      const { start, end } = timeOf(input, clock())
      const [from, to] = [new Date(start), new Date(end)]
      const completeAt = await store.completeAt()
      const [counted, shares] = await Promise.all([store.steps(step, from, to), store.shares(step, from, to)])
      const byStep = new Map<number, Counted[]>()
      for (const each of counted) {
        const of = byStep.get(each.at.getTime())
        if (of === undefined) byStep.set(each.at.getTime(), [each])
        else of.push(each)
      }
      const beginnings = Array.from(
        { length: (end - start) / STEP_MS[step] },
        (_, index) => start + index * STEP_MS[step],
      )
      return {
        from: from.toISOString(),
        to: to.toISOString(),
        step,
        completeAt: completeAt.toISOString(),
        steps: beginnings.map((at) => figures(at, byStep.get(at) ?? [])),
        issuedByType: shares
          .filter(({ measure }) => measure === 'issuedIn')
          .map(({ type, detail: format, count }) => ({ type, format, count })),
        failedChecks: shares
          .filter(({ measure }) => measure === 'failedChecks')
          .map(({ detail: check, count }) => ({ check, count })),
      }
    },
  }
}
