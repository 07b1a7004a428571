import type { Display } from '../../queries/trust.js'
import type { NamesForm } from '../../ui/name-rows.js'

type Names = NamesForm['names']

/** Rows of the form that have a name. A row of spaces has no name. */
const filled = (names: Names): Names => names.filter(({ name }) => name.trim() !== '')

export const displayOf = (names: Names): Display =>
  filled(names).map(({ name, locale }) => ({
    name: name.trim(),
    ...(locale.trim() === '' ? {} : { locale: locale.trim() }),
  }))

export const namesOf = (display: Display): Names => display.map(({ name, locale = '' }) => ({ name, locale }))

/** The field of the form for a path of the call's input. Empty rows were not sent, so positions in the form may differ. */
export function nameField(path: string, names: Names): `names.${number}.${'name' | 'locale'}` | undefined {
  const [, sent, member] = /^display\.(\d+)\.(name|locale)$/.exec(path) ?? []
  const row = filled(names)[Number(sent)]
  if (row === undefined) return undefined
  return `names.${names.indexOf(row)}.${member === 'locale' ? 'locale' : 'name'}`
}
