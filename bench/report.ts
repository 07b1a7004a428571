import { cpus, totalmem } from 'node:os'
import { median, medianSample, type Sample } from './measure/sample.js'
import type { Row } from './rows/row.js'

/** What each row gave, round by round. */
export type Measured = ReadonlyMap<Row, readonly Sample[]>

const COLUMNS = ['', 'per second', 'p50 ms', 'p99 ms', 'CPU ms', 'RSS MiB', 'goal'] as const

const digits = (value: number): string => value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3)

/** The ratio is taken within each round, where both rows saw the same machine, and its median shown. */
function ratioOf(row: Row, measured: Measured): string {
  if (row.goal === undefined) return ''
  const { of, atLeast } = row.goal
  const base = [...measured].find(([{ name }]) => name === of)?.[1] ?? []
  const ratios = (measured.get(row) ?? []).map(
    ({ perSecond }, round) => perSecond / (base[round]?.perSecond ?? Number.NaN),
  )
  const ratio = median(ratios)
  if (Number.isNaN(ratio)) return `≥ ${atLeast * 100} % of ${of}`
  return `${(ratio * 100).toFixed(0)} % of ${of} (≥ ${atLeast * 100} %) ${ratio >= atLeast ? '✓' : '✗'}`
}

function cpuOf({ cpuGoalMs }: Row, { cpuMs }: Sample): string {
  return cpuGoalMs === undefined ? '' : `≤ ${cpuGoalMs} ms CPU ${cpuMs <= cpuGoalMs ? '✓' : '✗'}`
}

function cellsOf(row: Row, samples: readonly Sample[], measured: Measured): string[] {
  const sample = medianSample(samples)
  const { perSecond, p50, p99, cpuMs, residentMiB } = sample
  const goal = [ratioOf(row, measured), cpuOf(row, sample)]
  return [
    row.name,
    Math.round(perSecond).toLocaleString('en'),
    digits(p50),
    digits(p99),
    digits(cpuMs),
    residentMiB.toFixed(0),
    goal.filter((text) => text !== '').join(', '),
  ]
}

/** The one table: medians of all rounds. Markdown, so that it can be kept. */
export function tableOf(measured: Measured): string {
  const lines = [[...COLUMNS], ...[...measured].map(([row, samples]) => cellsOf(row, samples, measured))]
  const widths = COLUMNS.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  const format = (line: readonly string[]) =>
    `| ${line.map((cell, column) => (column === 0 || column === 6 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`
  const rule = `|${widths.map((width, column) => (column === 0 || column === 6 ? `:${'-'.repeat(width + 1)}` : `${'-'.repeat(width + 1)}:`)).join('|')}|`
  const [head = [], ...body] = lines
  return [format(head), rule, ...body.map(format)].join('\n')
}

/** What the figures were taken on. */
export function machine(): string {
  const processors = cpus()
  return `${processors.length} × ${processors[0]?.model ?? 'unknown processor'}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.version}`
}
