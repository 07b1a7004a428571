/** What a statement may be given: each value is a parameter of its own, an array is one too; a fragment becomes part of the text. */
export type SqlValue = string | number | boolean | null | Date | readonly (string | number)[] | Fragment

/** A part of a statement with the values that stand in it; nothing that is sent to the service can be one. */
export class Fragment {
  /** @param strings what stands around the values: one more than these; the same array each time, since texts are kept by it */
  constructor(
    readonly strings: readonly string[],
    readonly values: readonly SqlValue[],
  ) {}
}

/** Makes a part of a statement, to be put into it or into another part: `` fragment`WHERE id = ${id}` ``. */
export const fragment = (strings: TemplateStringsArray, ...values: readonly SqlValue[]): Fragment =>
  new Fragment(strings, values)

/** In the place of a part that is not needed. */
export const emptyFragment: Fragment = fragment``

/** As many as the schema has names. */
const identifiers = new Map<string, Fragment>()

/**
 * The name of a table or column.
 *
 * @throws where it is none of the schema's kind: small letters, digits and underscores.
 */
export function identifier(name: string): Fragment {
  const known = identifiers.get(name)
  if (known !== undefined) return known
  if (!/^[a-z][a-z0-9_]*$/.test(name)) throw new Error('That is no name of a table or column.')
  const made = new Fragment([`"${name}"`], [])
  identifiers.set(name, made)
  return made
}
