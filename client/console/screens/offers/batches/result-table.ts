import { parse, unparse } from 'papaparse'
import type { Texts } from '../../../texts/texts.js'

/**
 * The result file of the service as a table for people: the columns have words for names, and the states are words. The service has
 * already escaped cells that a spreadsheet program would run as a formula.
 *
 * @param text CSV with commas, as the service sends it
 * @param separator the separator of columns that the reader's spreadsheet program expects
 */
export function resultTable(text: string, { batches: words, sessions }: Texts, separator: ',' | ';'): string {
  const [columns = [], ...rows] = parse<string[]>(text.replace(/^\uFEFF/, ''), {
    delimiter: ',',
    skipEmptyLines: true,
  }).data
  const names: Readonly<Record<string, string>> = words.resultColumns
  const states: Readonly<Record<string, string>> = sessions.offerStates
  const state = columns.indexOf('state')
  const shown = rows.map((cells) => cells.map((cell, at) => (at === state ? (states[cell] ?? cell) : cell)))
  return unparse([columns.map((column) => names[column] ?? column), ...shown], { delimiter: separator })
}
