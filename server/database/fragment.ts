/**
 * What a statement may be given: each value is a parameter of its own, an array is one too. A fragment becomes part of the text, and a
 * step its name.
 */
export type SqlValue = string | number | boolean | null | Date | readonly (string | number)[] | Fragment | Step

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

/** Columns of steps by their step and name, as they stand in texts: always the same, since texts are kept by their parts. */
const columns = new Map<string, Map<string, Fragment>>()

function columnOf(step: string, name: string): Fragment {
  let ofStep = columns.get(step)
  if (ofStep === undefined) {
    ofStep = new Map()
    columns.set(step, ofStep)
  }
  const known = ofStep.get(name)
  if (known !== undefined) return known
  const made = new Fragment([`"${step}"."${name}"`], [])
  ofStep.set(name, made)
  return made
}

const NONE: readonly Step[] = []

/**
 * A step of a statement: a common table expression with the columns that others may read. A part of a statement reads a step by
 * holding it (`` fragment`SELECT ${made.column('id')} FROM ${made}` ``), so that no part knows another's name. Steps come into
 * the statement by themselves, each once and before the steps that read it.
 */
export class Step<in Column extends string = never> {
  #companions = NONE

  /**
   * @param name in the text, in small letters; the same in no other step of the statement
   * @param body a query, or a change, that returns the columns
   */
  constructor(
    readonly name: string,
    readonly body: Fragment,
  ) {}

  /** One of its columns, for a part of the statement that has the step in FROM. */
  column(name: Column): Fragment {
    return columnOf(this.name, name)
  }

  /** Steps that happen with this one, though nothing reads them: what they write is part of it. */
  along(...companions: readonly Step[]): this {
    this.#companions = [...this.#companions, ...companions]
    return this
  }

  get companions(): readonly Step[] {
    return this.#companions
  }
}
