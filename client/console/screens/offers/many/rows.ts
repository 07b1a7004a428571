import type { NamesForm } from '../../../ui/names.js'
import type { Control, Part } from '../../../ui/schema-form/plan.js'
import { controlsOf, type Fault, subjectOf } from '../../../ui/schema-form/plan.js'
import type { SheetRow } from './csv.js'
import { type DateFault, dateIn, momentIn, numberIn, type Reading, timeIn } from './reading.js'

/** For the field of each claim and of each name: the position of its column, or -1 if it has no column. */
export type Mapping = Readonly<Record<string, number>>

const plain = (name: string) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')

/** Assigns to each claim the column whose name matches the claim. */
export function guessed(controls: readonly Control[], columns: readonly string[]): Record<string, number> {
  const names = columns.map(plain)
  const columnOf = (control: Control) =>
    namesOfControl(control)
      .map((name) => names.indexOf(plain(name)))
      .find((at) => at >= 0) ?? -1
  return Object.fromEntries(controls.map((control) => [control.field, columnOf(control)]))
}

const namesOfControl = ({ title, path }: Control): readonly string[] => [path.join('.'), title, path.at(-1) ?? '']

/** The fields of names in a mapping. No field of a claim has a colon. */
export const NAME_FIELDS = { label: ':label', reference: ':reference' } as const

/** Assigns to each name the column with this name, unless the column has a claim. @param words the names in the user's language */
export function guessedNames(
  mapping: Mapping,
  columns: readonly string[],
  words: Readonly<Record<keyof typeof NAME_FIELDS, string>>,
): Mapping {
  const taken = new Set(Object.values(mapping))
  const columnOf = (name: keyof typeof NAME_FIELDS) =>
    columns.findIndex((column, at) => !taken.has(at) && [plain(name), plain(words[name])].includes(plain(column)))
  return { ...mapping, [NAME_FIELDS.label]: columnOf('label'), [NAME_FIELDS.reference]: columnOf('reference') }
}

/** The names of the offer of a row. */
export const namesIn = (mapping: Mapping, { cells }: SheetRow): NamesForm => ({
  label: cells[mapping[NAME_FIELDS.label] ?? -1] ?? '',
  reference: cells[mapping[NAME_FIELDS.reference] ?? -1] ?? '',
})

const hasColumn = (mapping: Mapping, { field }: { readonly field: string }) => (mapping[field] ?? -1) >= 0

/** The claims that every row needs and that have no column. */
export const missingColumns = (parts: readonly Part[], mapping: Mapping): Control[] =>
  controlsOf(parts).filter((control) => control.needed && !hasColumn(mapping, control))

/** Names longer than this are not compared letter by letter. */
const LONGEST_COMPARED = 60

/**
 * The number of letters to add, remove, replace or swap with a neighbour to make one word from the other (optimal string alignment
 * distance).
 */
function distance(one: string, other: string): number {
  const [from, to] = [[...one], [...other]]
  const table = [Array.from({ length: to.length + 1 }, (_, at) => at)]
  const cell = (row: number, at: number) => table[row]?.[at] ?? Number.POSITIVE_INFINITY
  for (let row = 1; row <= from.length; row += 1) {
    table.push([row])
    for (let at = 1; at <= to.length; at += 1) {
      const isSame = from[row - 1] === to[at - 1]
      const isSwapped = row > 1 && at > 1 && from[row - 1] === to[at - 2] && from[row - 2] === to[at - 1]
      table[row]?.push(
        Math.min(
          cell(row - 1, at) + 1,
          cell(row, at - 1) + 1,
          cell(row - 1, at - 1) + (isSame ? 0 : 1),
          isSwapped ? cell(row - 2, at - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
  }
  return cell(from.length, to.length)
}

/** A column of the file that no claim uses, and the claim that it may be meant for. */
export interface UnusedColumn {
  readonly at: number
  readonly name: string
  readonly meant: Control | undefined
}

/** The columns that have a name, but no claim. A column is meant for a claim if at most a third of its letters differ. */
export function unusedColumns(
  controls: readonly Control[],
  columns: readonly string[],
  mapping: Mapping,
): UnusedColumn[] {
  const used = new Set(Object.values(mapping))
  const free = controls.filter((control) => !hasColumn(mapping, control))
  return columns.flatMap((name, at) => {
    if (name === '' || used.has(at)) return []
    const word = plain(name).slice(0, LONGEST_COMPARED)
    const nearest = free
      .map((control) => ({
        control,
        far: Math.min(
          ...namesOfControl(control).map((known) => distance(word, plain(known).slice(0, LONGEST_COMPARED))),
        ),
      }))
      .sort((one, other) => one.far - other.far)[0]
    const isNear = nearest !== undefined && nearest.far <= Math.max(1, Math.floor(word.length / 3))
    return [{ at, name, meant: isNear ? nearest.control : undefined }]
  })
}

export type CellFault = Fault | 'choice' | 'boolean' | 'dateTime' | 'time' | DateFault

export interface RowRead {
  readonly row: SheetRow
  readonly subject: Readonly<Record<string, unknown>>
  readonly faults: readonly { readonly label: string; readonly fault: CellFault }[]
}

/** The words for yes and no in the languages of the console, without accents. */
const YES = new Set(['true', 'yes', 'ja', 'wahr', 'oui', 'vrai', 'si', 'verdadero', 'vero', '1', 'x'])
const NO = new Set(['false', 'no', 'nein', 'falsch', 'non', 'faux', 'falso', '0'])

/** A word in small letters and without accents: many people write `si` for `sì` and for `sí`. */
const bare = (word: string): string => word.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()

type Typed = string | { readonly fault: CellFault }

/** Converts the text of a cell to the value that a user would have entered in the form. */
export function typedOf({ kind, choices }: Control, cell: string, { decimal, dates }: Reading): Typed {
  const text = cell.trim()
  if (text === '') return ''
  switch (kind) {
    case 'choice': {
      const at = choices.map(String).indexOf(text)
      return at < 0 ? { fault: 'choice' } : String(at)
    }
    case 'boolean': {
      const word = bare(text)
      return YES.has(word) ? 'true' : NO.has(word) ? 'false' : { fault: 'boolean' }
    }
    case 'number':
    case 'integer':
      return numberIn(text, decimal) ?? { fault: 'number' }
    case 'date': {
      const read = dateIn(text, dates)
      return 'fault' in read ? read : read.day
    }
    case 'dateTime': {
      const read = momentIn(text, dates)
      return 'fault' in read ? read : read.at
    }
    case 'time':
      return timeIn(text) ?? { fault: 'time' }
    case 'lines':
      return text.replaceAll(';', '\n')
    case 'numbers': {
      const numbers = text.split(';').map((each) => numberIn(each.trim(), decimal))
      return numbers.includes(undefined) ? { fault: 'number' } : numbers.join('\n')
    }
    default:
      return text
  }
}

/** The claims of a row, and the errors of its cells. */
export function readRow(parts: readonly Part[], mapping: Mapping, row: SheetRow, reading: Reading): RowRead {
  const controls = controlsOf(parts)
  const wrong = new Map<string, CellFault>()
  const typed: Record<string, string> = {}
  for (const control of controls) {
    const given = typedOf(control, row.cells[mapping[control.field] ?? -1] ?? '', reading)
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
