/**
 * A value in a statement. Each value becomes one parameter; an array is one parameter too. A fragment becomes part of
 * the statement's text. A step becomes the step's name in the text.
 */
export type SqlValue = string | number | boolean | null | Date | readonly (string | number)[] | Fragment | Step

/** A part of a statement with its values. Data from outside the service can never be a fragment. */
export class Fragment {
  /**
   * @param strings the texts around the values, one more than there are values. Pass the same array each time, because
   * the array is a key of the cache of texts.
   */
  constructor(
    readonly strings: readonly string[],
    readonly values: readonly SqlValue[],
  ) {}
}

/** Makes a part of a statement. It can be used in a statement or in a larger part: `` fragment`WHERE id = ${id}` ``. */
export const fragment = (strings: TemplateStringsArray, ...values: readonly SqlValue[]): Fragment =>
  new Fragment(strings, values)

/** The empty part of a statement, for a part that is not needed. */
export const emptyFragment: Fragment = fragment``

/** A cache with one entry for each name of a table or column. */
const identifiers = new Map<string, Fragment>()

/**
 * The name of a table or column.
 *
 * @throws if the name does not follow the schema's form: small letters, digits and underscores.
 */
export function identifier(name: string): Fragment {
  const known = identifiers.get(name)
  if (known !== undefined) return known
  if (!/^[a-z][a-z0-9_]*$/.test(name)) throw new Error('The name is not a valid name of a table or column.')
  const made = new Fragment([`"${name}"`], [])
  identifiers.set(name, made)
  return made
}

/**
 * Columns of steps, by the names of step and column. Each column is made once, because the parts of a text are keys of
 * the cache of texts.
 */
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
 * A step of a statement: a common table expression with columns that other parts may read. A part of a statement reads
 * a step by containing the step (`` fragment`SELECT ${made.column('id')} FROM ${made}` ``). So a part need not know the
 * names of steps. Steps enter the statement automatically, each once and before the steps that read it.
 */
export class Step<in Column extends string = never> {
  #companions = NONE

  /**
   * @param name in the text, in small letters; unique in the statement
   * @param body a query, or a change, that returns the columns
   */
  constructor(
    readonly name: string,
    readonly body: Fragment,
  ) {}

  /** A column of the step, for a part of the statement whose FROM contains the step. */
  column(name: Column): Fragment {
    return columnOf(this.name, name)
  }

  /**
   * Adds steps that run together with this step, although no part reads them. They write data that must be written
   * together with the data of this step.
   */
  along(...companions: readonly Step[]): this {
    this.#companions = [...this.#companions, ...companions]
    return this
  }

  get companions(): readonly Step[] {
    return this.#companions
  }
}
