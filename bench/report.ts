import { cpus, loadavg, totalmem } from 'node:os'
import { median, medianSample, type Sample } from './measure/sample.js'
import type { Row } from './rows/row.js'
import type { StreamCost } from './rows/streams.js'

/** What each row gave, round by round. */
export type Measured = ReadonlyMap<Row, readonly Sample[]>

const COLUMNS = ['', 'per second', 'p50 ms', 'p99 ms', 'CPU ms', 'RSS MiB', 'goal']
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

/** At most this much of the memory of a bare route's stream. */
const STREAM_MEMORY_GOAL = 1.5

const digits = (value: number): string => value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3)

const percent = (value: number): string => `${(value * 100).toFixed(0)} %`

/** The ratio is taken within each round, where both rows saw the same machine, and its median shown. */
function ratioOf(row: Row, measured: Measured): string {
  if (row.goal === undefined) return ''
  const { of, atLeast } = row.goal
  const base = [...measured].find(([{ name }]) => name === of)?.[1] ?? []
  const own = measured.get(row) ?? []
  const ratio = median(own.map(({ perSecond }, round) => perSecond / (base[round]?.perSecond ?? Number.NaN)))
  return `${percent(ratio)} of ${of} (≥ ${percent(atLeast)}) ${ratio >= atLeast ? '✓' : '✗'}`
}

function cpuOf({ cpuGoalMs }: Row, { cpuMs }: Sample): string {
  return cpuGoalMs === undefined ? '' : `≤ ${cpuGoalMs} ms CPU ${cpuMs <= cpuGoalMs ? '✓' : '✗'}`
}

/** The difference within each round, and its median. */
function cpuOverOf(row: Row, measured: Measured): string {
  if (row.cpuOver === undefined) return ''
  const { of, atMostMs } = row.cpuOver
  const base = [...measured].find(([{ name }]) => name === of)?.[1] ?? []
  const own = measured.get(row) ?? []
  const more = median(own.map(({ cpuMs }, round) => cpuMs - (base[round]?.cpuMs ?? Number.NaN)))
  const shown = `${more < 0 ? '−' : '+'}${Math.abs(more).toFixed(2)} ms CPU over ${of}`
  return `${shown} (≤ ${atMostMs} ms) ${more <= atMostMs ? '✓' : '✗'}`
}

function cellsOf(row: Row, samples: readonly Sample[], measured: Measured): string[] {
  const sample = medianSample(samples)
  const { perSecond, p50, p99, cpuMs, residentMiB } = sample
  const goals = [ratioOf(row, measured), cpuOf(row, sample), cpuOverOf(row, measured)].filter((text) => text !== '')
  const figures = [Math.round(perSecond).toLocaleString('en'), digits(p50), digits(p99), digits(cpuMs)]
  return [row.name, ...figures, residentMiB.toFixed(0), goals.join(', ')]
}

/** A Markdown table, so that it can be kept: the first and the last column are text, the others figures. */
function markdown(lines: readonly (readonly string[])[]): string {
  const [head = [], ...body] = lines
  const isText = (column: number) => column === 0 || column === head.length - 1
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  const row = (line: readonly string[]) => {
    const cells = line.map((cell, column) => {
      const width = widths[column] ?? 0
      return isText(column) ? cell.padEnd(width) : cell.padStart(width)
    })
    return `| ${cells.join(' | ')} |`
  }
  const rule = widths.map((width, column) =>
    isText(column) ? `:${'-'.repeat(width + 1)}` : `${'-'.repeat(width + 1)}:`,
  )
  return [row(head), `|${rule.join('|')}|`, ...body.map(row)].join('\n')
}

/** The medians of all rounds. */
export function tableOf(measured: Measured): string {
  return markdown([COLUMNS, ...[...measured].map(([row, samples]) => cellsOf(row, samples, measured))])
}

/** The streams; the first line is the yardstick of the others. */
export function streamTableOf(costs: readonly StreamCost[]): string {
  const base = costs[0]?.kibPerStream ?? Number.NaN
  const lines = costs.map((cost, position) => {
    const { kibPerStream, heapKibPerStream, idleCpu, fanOutP50, fanOutLast } = cost
    const ratio = kibPerStream / base
    const goal = `${ratio.toFixed(2)} × the memory (≤ ${STREAM_MEMORY_GOAL} ×) ${ratio <= STREAM_MEMORY_GOAL ? '✓' : '✗'}`
    const memory = [digits(kibPerStream), digits(heapKibPerStream)]
    const figures = [...memory, `${(idleCpu * 100).toFixed(1)} %`, digits(fanOutP50), digits(fanOutLast)]
    return [cost.name, cost.streams.toLocaleString('en'), ...figures, position === 0 ? '' : goal]
  })
  return markdown([STREAM_COLUMNS, ...lines])
}

/** What the figures were taken on, and how busy it was. */
export function machine(): string {
  const processors = cpus()
  const [load = 0] = loadavg()
  const model = processors[0]?.model ?? 'unknown processor'
  const memory = `${(totalmem() / 2 ** 30).toFixed(0)} GiB`
  return `${processors.length} × ${model}, ${memory}, Node ${process.version}, load average ${load.toFixed(1)}`
}
