import { channel } from 'node:diagnostics_channel'
import { Fragment, identifier, type SqlValue, Step } from './fragment.js'
import type { StatementNames } from './statement-names.js'

/**
 * Enough for about three hundred statements. At the limit all texts are removed, and each is made again on its next
 * use.
 */
const MAX_PLACES = 10_000

/** A statement in the driver's form. */
export interface Statement {
  readonly name: string
  readonly text: string
  readonly values: unknown[]
}

/** Publishes each new text during the call of the store. A test prints all texts. */
export const textsMade = channel('credence:statement')

/** A place in a statement: after a value, or at the beginning of a fragment. */
class Place {
  /** The place after a value. */
  value: Place | undefined
  /** The places at the beginning of fragments, by the fragments' strings. */
  readonly fragments = new Map<readonly string[], Place>()
  /** The statement that ends here. */
  kept: Omit<Statement, 'values'> | undefined
}

/** The driver writes a Date in this machine's time zone, and slowly. */
const parameter = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : value)

/** The fragment for a value that becomes text; undefined for a parameter. */
function partOf(value: SqlValue): Fragment | undefined {
  if (value instanceof Fragment) return value
  return value instanceof Step ? identifier(value.name) : undefined
}

/** The text, with `$1`, `$2`, … for the values. */
function textOf(whole: Fragment): string {
  let parameters = 0
  const write = ({ strings, values }: Fragment): string =>
    strings.reduce((text, string, at) => {
      const part = partOf(values[at - 1] ?? null)
      if (part !== undefined) return `${text}${write(part)}${string}`
      parameters += 1
      return `${text}$${parameters}${string}`
    })
  return write(whole)
}

/**
 * Makes statements from fragments. The text and its name are cached by their templates, since a template is the same array each
 * time its line runs. Joining a long text takes longer than all other work on it here. Values are
 * never part of a text or of a cache key.
 */
export function statementTexts(nameOf: StatementNames): (whole: Fragment) => Statement {
  let begin = new Place()
  let places = 0
  const made = () => {
    places += 1
    return new Place()
  }
  const into = (place: Place, strings: readonly string[]): Place => {
    const known = place.fragments.get(strings)
    if (known !== undefined) return known
    const first = made()
    place.fragments.set(strings, first)
    return first
  }
  const walk = (before: Place, { strings, values }: Fragment, parameters: unknown[]): Place => {
    let place = into(before, strings)
    for (const value of values) {
      const part = partOf(value)
      if (part !== undefined) place = walk(place, part, parameters)
      else {
        parameters.push(parameter(value))
        place.value ??= made()
        place = place.value
      }
    }
    return place
  }
  return (whole) => {
    if (places > MAX_PLACES) {
      begin = new Place()
      places = 0
    }
    const values: unknown[] = []
    const end = walk(begin, whole, values)
    if (end.kept === undefined) {
      const text = textOf(whole)
      if (textsMade.hasSubscribers) textsMade.publish(text)
      end.kept = { name: nameOf(text), text }
    }
    return { ...end.kept, values }
  }
}
