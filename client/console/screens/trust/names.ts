import type { Display } from '../../queries/trust.js'
import type { NamesForm } from '../../ui/name-rows.js'

type Names = NamesForm['names']

/** The rows of the form that have a name. A name of spaces only does not count. */
const filled = (names: Names): Names => names.filter(({ name }) => name.trim() !== '')

export const displayOf = (names: Names): Display =>
  filled(names).map(({ name, locale }) => ({
    name: name.trim(),
    ...(locale.trim() === '' ? {} : { locale: locale.trim() }),
  }))

/**
 * Returns the field of the form for a path in the input of the call. Empty rows are not sent, so positions in the form
 * and in the input may differ.
 */
export function nameField(path: string, names: Names): `names.${number}.${'name' | 'locale'}` | undefined {
  const [, sent, member] = /^display\.(\d+)\.(name|locale)$/.exec(path) ?? []
  const row = filled(names)[Number(sent)]
  if (row === undefined) return undefined
  return `names.${names.indexOf(row)}.${member === 'locale' ? 'locale' : 'name'}`
}
