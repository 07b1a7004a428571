import type { ExportRecord } from '../export.js'

/** UTF-8 without this mark is read in the local character set by common spreadsheet programs. */
const BYTE_ORDER_MARK = '\uFEFF'
const LINE_END = '\r\n'

/** Spreadsheet programs take a cell that begins with one of these characters for a formula, the wide forms too (OWASP, "CSV Injection"). */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/
const NEEDS_QUOTES = /[",\r\n]/

/** Objects and lists become JSON texts, absent members and null an empty cell. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** A cell of CSV (RFC 4180 §2). A cell that would be a formula begins with an apostrophe. */
export function csvCell(value: unknown): string {
  const text = textOf(value)
  const guarded = FORMULA.test(text) ? `'${text}` : text
  return NEEDS_QUOTES.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded
}

/** The byte order mark and the line with the names of the columns. */
export const csvHead = (columns: readonly string[]): string =>
  `${BYTE_ORDER_MARK}${columns.map(csvCell).join(',')}${LINE_END}`

export const csvLine = (columns: readonly string[], record: ExportRecord): string =>
  `${columns.map((column) => csvCell(record[column])).join(',')}${LINE_END}`
