import { parse, unparse } from 'papaparse'

/** A row of a file, with the number that a spreadsheet shows: the row of column names is row 1. */
export interface SheetRow {
  readonly number: number
  readonly cells: readonly string[]
}

export interface Sheet {
  readonly columns: readonly string[]
  readonly rows: readonly SheetRow[]
}

export const MAX_ROWS = 10_000
/** Maximum size of a file in bytes. Ten thousand rows of claims need less. */
export const MAX_BYTES = 20 * 1024 * 1024

/** The reason why a file cannot be used as a table of offers. */
export type SheetFault =
  | { readonly fault: 'tooLarge' | 'tooMany' | 'noRows' }
  | { readonly fault: 'quotes'; readonly row: number }

const isBlank = (cells: readonly string[]) => cells.every((cell) => cell.trim() === '')

/** Decodes the text of a file. Spreadsheet programs write UTF-8, or the code page of their system. */
function textOf(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** The delimiter of a file: the delimiter with which the first row has the most columns. */
function delimiterOf(text: string): string {
  const columns = (delimiter: string) => parse<string[]>(text, { delimiter, preview: 1 }).data[0]?.length ?? 0
  return [',', ';', '\t'].reduce((best, next) => (columns(next) > columns(best) ? next : best))
}

/** Reads a file of comma-separated values (RFC 4180; semicolons and tabs as well). Blank rows are left out. */
export function readSheet(bytes: ArrayBuffer): Sheet | SheetFault {
  if (bytes.byteLength > MAX_BYTES) return { fault: 'tooLarge' }
  const text = textOf(bytes)
  // Reads at most twice the allowed number of rows, because some rows may be blank.
  const { data, errors } = parse<string[]>(text, { delimiter: delimiterOf(text), preview: 2 * MAX_ROWS })
  const quotes = errors.find(({ type }) => type === 'Quotes')
  if (quotes !== undefined) return { fault: 'quotes', row: (quotes.row ?? 0) + 1 }
  const [columns = [], ...rest] = data
  const rows = rest.map((cells, at) => ({ number: at + 2, cells })).filter(({ cells }) => !isBlank(cells))
  if (rows.length === 0) return { fault: 'noRows' }
  return rows.length > MAX_ROWS ? { fault: 'tooMany' } : { columns: columns.map((name) => name.trim()), rows }
}

/** A row of the file with its created offer. */
export interface Made {
  readonly row: SheetRow
  readonly link: string
  readonly page: string
  readonly pin: string
}

/**
 * The rows of the file as CSV, with the created offer of each row. Cells that a spreadsheet program would run as a
 * formula are escaped.
 *
 * @param separator the separator of columns that the reader's spreadsheet program expects
 */
export function madeSheet(
  { columns }: Sheet,
  made: readonly Made[],
  names: readonly [string, string, string],
  separator: ',' | ';' = ',',
): string {
  const fields = [...columns, ...names]
  const data = made.map(({ row, link, page, pin }) => [...columns.map((_, at) => row.cells[at] ?? ''), link, page, pin])
  return unparse({ fields, data }, { delimiter: separator, escapeFormulae: true })
}
