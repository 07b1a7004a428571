import type { Control, Part } from '../../../ui/schema-form/plan.js'
import { controlsOf, type Fault, subjectOf } from '../../../ui/schema-form/plan.js'
import type { SheetRow } from './csv.js'

/** For the field of each claim: the position of its column, or -1 if it has no column. */
export type Mapping = Readonly<Record<string, number>>

const plain = (name: string) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')

/** Assigns to each claim the column whose name matches the claim. */
export function guessed(controls: readonly Control[], columns: readonly string[]): Record<string, number> {
  const names = columns.map(plain)
  const columnOf = ({ title, path }: Control) =>
    [path.join('.'), title, path.at(-1) ?? ''].map((name) => names.indexOf(plain(name))).find((at) => at >= 0) ?? -1
  return Object.fromEntries(controls.map((control) => [control.field, columnOf(control)]))
}

export type CellFault = Fault | 'choice' | 'boolean' | 'dateTime'

export interface RowRead {
  readonly row: SheetRow
  readonly subject: Readonly<Record<string, unknown>>
  readonly faults: readonly { readonly label: string; readonly fault: CellFault }[]
}

const YES = new Set(['true', 'yes', 'ja', 'wahr', '1', 'x'])
const NO = new Set(['false', 'no', 'nein', 'falsch', '0'])

/** Converts the text of a cell to the value that a user would have entered in the form. */
function typedOf({ kind, choices }: Control, cell: string): string | { readonly fault: CellFault } {
  const text = cell.trim()
  if (text === '') return ''
  switch (kind) {
    case 'choice': {
      const at = choices.map(String).indexOf(text)
      return at < 0 ? { fault: 'choice' } : String(at)
    }
    case 'boolean': {
      const word = text.toLowerCase()
      return YES.has(word) ? 'true' : NO.has(word) ? 'false' : { fault: 'boolean' }
    }
    case 'dateTime':
      return Number.isNaN(Date.parse(text)) ? { fault: 'dateTime' } : text
    case 'lines':
    case 'numbers':
      return text.replaceAll(';', '\n')
    default:
      return text
  }
}

/** The claims of a row, and the errors of its cells. */
export function readRow(parts: readonly Part[], mapping: Mapping, row: SheetRow): RowRead {
  const controls = controlsOf(parts)
  const wrong = new Map<string, CellFault>()
  const typed: Record<string, string> = {}
  for (const control of controls) {
    const given = typedOf(control, row.cells[mapping[control.field] ?? -1] ?? '')
    if (typeof given === 'string') typed[control.field] = given
    else wrong.set(control.field, given.fault)
  }
  const { subject, faults } = subjectOf(parts, typed)
  for (const [field, fault] of faults) if (!wrong.has(field)) wrong.set(field, fault)
  const labelled = controls.flatMap(({ field, title }) => {
    const fault = wrong.get(field)
    return fault === undefined ? [] : [{ label: title, fault }]
  })
  return { row, subject, faults: labelled }
}
