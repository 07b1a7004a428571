import { unparse } from 'papaparse'
import type { Control } from '../../../ui/schema-form/plan.js'
import { type Reading, readingOf, separatorOf } from './reading.js'
import { guessed } from './rows.js'

/** The names of the columns: titles, if each title leads back to its claim; otherwise the names of the claims. */
function columnsOf(controls: readonly Control[]): string[] {
  const titles = controls.map(({ title }) => title)
  const mapping = guessed(controls, titles)
  const isClear = controls.every(({ field }, at) => mapping[field] === at)
  return isClear ? titles : controls.map(({ path }) => path.join('.'))
}

/** A value that a user may replace, in the writing of the user's locale. */
function exampleOf({ kind, choices, title }: Control, { decimal }: Reading, yes: string): string {
  switch (kind) {
    case 'date':
      // A day that cannot be mistaken for a month in any order.
      return decimal === ',' ? '31.12.2026' : '2026-12-31'
    case 'dateTime':
      return '2026-12-31T12:00:00Z'
    case 'time':
      return '12:00'
    case 'email':
      return 'anna@example.org'
    case 'link':
      return 'https://example.org'
    case 'number':
      return `1${decimal}5`
    case 'integer':
      return '1'
    case 'numbers':
      return '1; 2'
    case 'boolean':
      return yes
    case 'choice':
      return String(choices[0] ?? '')
    case 'lines':
      return `${title} 1; ${title} 2`
    case 'json':
      return ''
    default:
      return title
  }
}

interface Words {
  readonly label: string
  readonly reference: string
  readonly yes: string
}

/**
 * A table to fill in: a column for each claim and each name, and a row with examples.
 *
 * @param words names of the further columns in the user's language
 * @param locale the browser's language with its region: it chooses the separator and the writing of numbers
 */
export const templateOf = (controls: readonly Control[], words: Words, locale: string): string =>
  unparse(
    {
      fields: [...columnsOf(controls), words.label, words.reference],
      data: [[...controls.map((control) => exampleOf(control, readingOf(locale), words.yes)), '', '']],
    },
    { delimiter: separatorOf(locale), escapeFormulae: true },
  )
