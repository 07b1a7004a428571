import { type FullSample, median, percentile } from '../measure/sample.js'
import { baseOf, type Goal } from '../rows/goal.js'
import type { Row } from '../rows/row.js'

/** The samples of each row, round by round. */
export type Measured = ReadonlyMap<Row, readonly FullSample[]>

/** A goal and its result. */
export interface Outcome {
  readonly row: string
  /** The description of the goal. */
  readonly goal: string
  /** Median and quartiles of all rounds; undefined if the row to compare with was not measured. */
  readonly figure: { readonly median: number; readonly lower: number; readonly upper: number } | undefined
  readonly unit: '%' | 'ms' | '×'
  readonly met: boolean | undefined
}

/** How to judge a kind of goal: its value in one round, its bound, its text and its unit. */
function rule(goal: Goal): {
  readonly value: (own: FullSample, base: FullSample) => number
  readonly within: (value: number) => boolean
  readonly text: string
  readonly unit: Outcome['unit']
} {
  switch (goal.kind) {
    case 'rate':
      return {
        value: (own, base) => (own.perSecond / base.perSecond) * 100,
        within: (value) => value >= goal.atLeast * 100,
        text: `≥ ${goal.atLeast * 100} % of the rate of ${goal.of}`,
        unit: '%',
      }
    case 'cpu':
      return {
        value: (own) => own.cpuMs,
        within: (value) => value <= goal.atMostMs,
        text: `≤ ${goal.atMostMs} ms CPU`,
        unit: 'ms',
      }
    case 'cpuOver':
      return {
        value: (own, base) => own.cpuMs - base.cpuMs,
        within: (value) => value <= goal.atMostMs,
        text: `≤ ${goal.atMostMs} ms CPU more than ${goal.of}`,
        unit: 'ms',
      }
    case 'cpuRatio':
      return {
        value: (own, base) => own.cpuMs / base.cpuMs,
        within: (value) => value <= goal.atMost,
        text: `≤ ${goal.atMost} × the CPU of ${goal.of}`,
        unit: '×',
      }
    case 'workRatio':
      return {
        value: (own, base) => (own.cpuMs + own.postgresMs) / (base.cpuMs + base.postgresMs),
        within: (value) => value <= goal.atMost,
        text: `≤ ${goal.atMost} × the CPU of ${goal.of}, PostgreSQL's included`,
        unit: '×',
      }
  }
}

function outcomeOf(row: Row, goal: Goal, measured: Measured): Outcome {
  const { value, within, text, unit } = rule(goal)
  const own = measured.get(row) ?? []
  const of = baseOf(goal)
  const bases = of === undefined ? own : ([...measured].find(([{ name }]) => name === of)?.[1] ?? [])
  const values = own.flatMap((sample, round) => {
    const base = bases[round]
    const one = base === undefined ? Number.NaN : value(sample, base)
    return Number.isFinite(one) ? [one] : []
  })
  if (values.length === 0) return { row: row.name, goal: text, figure: undefined, unit, met: undefined }
  const figure = { median: median(values), lower: percentile(values, 0.25), upper: percentile(values, 0.75) }
  return { row: row.name, goal: text, figure, unit, met: within(figure.median) }
}

/** The outcomes of all goals of all measured rows. */
export const outcomesOf = (measured: Measured): Outcome[] =>
  [...measured.keys()].flatMap((row) => (row.goals ?? []).map((goal) => outcomeOf(row, goal, measured)))
