import { type ColumnResult, type Results, rowOf } from './results.js'

interface Merged {
  readonly heading: string
  readonly cells: ReadonlyMap<string, string>
  /** Ids of the runs that had these results. */
  readonly ids: readonly string[]
}

/** The table of a column: the part of its id before the first slash. */
export const tableOf = (id: string): string => id.split('/')[0] ?? ''

const cellsOf = ({ modules, variant }: ColumnResult) =>
  new Map(modules.map((outcome) => [rowOf(outcome, variant), outcome.outcome]))

const isSame = (one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>) =>
  one.size === other.size && [...one].every(([row, cell]) => other.get(row) === cell)

/** Merges runs with the same heading and the same results into one column. */
function merged(columns: readonly ColumnResult[]): Merged[] {
  const found: Merged[] = []
  for (const column of columns) {
    const cells = cellsOf(column)
    const at = found.findIndex(({ heading, cells: others }) => heading === column.heading && isSame(cells, others))
    const before = found[at]
    if (before === undefined) found.push({ heading: column.heading, cells, ids: [column.id] })
    else found[at] = { ...before, ids: [...before.ids, column.id] }
  }
  return found
}

/** The headings of the columns. If several columns have the same heading, each heading also has the ids of the runs. */
function headingsOf(columns: readonly Merged[]): string[] {
  return columns.map(({ heading, ids }) => {
    const isAlone = columns.filter((column) => column.heading === heading).length === 1
    return isAlone ? heading : `${heading} (${ids.join(', ')})`
  })
}

const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`.replace(/\| {2}(?=\|)/g, '|  ')

function tableText(columns: readonly ColumnResult[]): string {
  const shown = merged(columns)
  const rows = [...new Set(shown.flatMap(({ cells }) => [...cells.keys()]))]
  return [
    line(['Module', ...headingsOf(shown)]),
    `|${'---|'.repeat(shown.length + 1)}`,
    ...rows.map((row) => line([row, ...shown.map(({ cells }) => cells.get(row) ?? '')])),
  ].join('\n')
}

/** The tables of docs/conformance.md as Markdown. The name of each table comes before the table. */
export function tablesText({ columns }: Pick<Results, 'columns'>): string {
  const names = [...new Set(columns.map(({ id }) => tableOf(id)))]
  const texts = names.map((name) => `## ${name}\n\n${tableText(columns.filter(({ id }) => tableOf(id) === name))}`)
  return `${texts.join('\n\n')}\n`
}
