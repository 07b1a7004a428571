import { type FullSample, medianSample, percentile } from '../measure/sample.js'
import type { Row } from '../rows/row.js'
import type { StreamCost, StreamSample } from '../rows/streams.js'
import { markdown } from './markdown.js'
import { type Measured, type Outcome, outcomesOf } from './outcomes.js'

const COLUMNS = ['', 'per second', 'p50 ms', 'p99 ms', 'CPU ms', 'quartiles', 'PostgreSQL ms', 'commits', 'RSS MiB']
const GOAL_COLUMNS = ['', 'goal', 'reached', 'quartiles', 'met']
const STREAM_COLUMNS = [
  'open streams',
  'streams',
  'KiB each',
  'of it heap',
  'idle CPU',
  'event to half, ms',
  'to the last, ms',
  'goal',
]

/** The goal for the memory of a stream, as a multiple of the memory of a bare route's stream. */
const STREAM_MEMORY_GOAL = 1.5

const digits = (value: number): string => value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3)

function cellsOf({ name }: Row, samples: readonly FullSample[]): string[] {
  const { perSecond, p50, p99, cpuMs, postgresMs, commits, residentMiB } = medianSample(samples)
  const cpu = samples.map((sample) => sample.cpuMs)
  const quartiles = `${digits(percentile(cpu, 0.25))}–${digits(percentile(cpu, 0.75))}`
  const figures = [Math.round(perSecond).toLocaleString('en'), digits(p50), digits(p99), digits(cpuMs), quartiles]
  const postgres = [Number.isNaN(postgresMs) ? '' : postgresMs.toFixed(2), commits.toFixed(1)]
  return [name, ...figures, ...postgres, residentMiB.toFixed(0)]
}

/** The table of the rows, with medians of all rounds. */
export const tableOf = (measured: Measured): string =>
  markdown([COLUMNS, ...[...measured].map(([row, samples]) => cellsOf(row, samples))], [0])

function goalCellsOf({ row, goal, figure, unit, met }: Outcome): string[] {
  if (figure === undefined) return [row, goal, 'not measured', '', '']
  // The figure has enough digits to show that a goal was missed narrowly.
  const shown = (value: number) => value.toFixed(unit === '%' ? 1 : 2)
  const quartiles = `${shown(figure.lower)}–${shown(figure.upper)}`
  return [row, goal, `${shown(figure.median)} ${unit}`, quartiles, met ? '✓' : '✗']
}

/** Every goal with its result. */
export const goalTableOf = (measured: Measured): string =>
  markdown([GOAL_COLUMNS, ...outcomesOf(measured).map(goalCellsOf)], [0, 1])

/** The table of the streams, with medians of the rounds. All lines are compared with the first line, round by round. */
export function streamTableOf(costs: readonly StreamCost[]): string {
  const yardstick = costs[0]?.samples ?? []
  const lines = costs.map(({ name, streams, samples }, position) => {
    const median = (of: keyof StreamSample) =>
      percentile(
        samples.map((sample) => sample[of]),
        0.5,
      )
    const ratios = samples.map(
      ({ kibPerStream }, round) => kibPerStream / (yardstick[round]?.kibPerStream ?? Number.NaN),
    )
    const ratio = percentile(ratios, 0.5)
    const spread = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`
    const met = ratio <= STREAM_MEMORY_GOAL ? '✓' : '✗'
    const goal = `${ratio.toFixed(2)} × the memory (${spread}; ≤ ${STREAM_MEMORY_GOAL} ×) ${met}`
    const memory = [digits(median('kibPerStream')), digits(median('heapKibPerStream'))]
    const fanOut = [digits(median('fanOutP50')), digits(median('fanOutLast'))]
    const figures = [...memory, `${(median('idleCpu') * 100).toFixed(1)} %`, ...fanOut]
    return [name, streams.toLocaleString('en'), ...figures, position === 0 ? '' : goal]
  })
  return markdown([STREAM_COLUMNS, ...lines], [0, STREAM_COLUMNS.length - 1])
}
