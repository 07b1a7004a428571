import { channel } from 'node:diagnostics_channel'
import { Fragment, identifier, type SqlValue, Step } from './fragment.js'
import type { StatementNames } from './statement-names.js'

/**
 * Limit of cached nodes. It is enough for about three hundred statements. At the limit, all texts are removed. Each
 * text is made again when it is next used.
 */
const MAX_PLACES = 10_000

/** A statement as the driver expects it. */
export interface Statement {
  readonly name: string
  readonly text: string
  readonly values: unknown[]
}

/** Publishes each new text while the store that uses it is called. A test collects all texts. */
export const textsMade = channel('credence:statement')

/**
 * A node of the tree that caches the texts of statements. It stands for a position in a statement: after a value, or at
 * the beginning of a fragment.
 */
class Place {
  /** The node for the position after a value. */
  value: Place | undefined
  /** The nodes for the beginnings of fragments, by the fragments' strings. */
  readonly fragments = new Map<readonly string[], Place>()
  /** The statement that ends at this position. */
  kept: Omit<Statement, 'values'> | undefined
}

/** Dates are converted here, because the driver converts them slowly and to the time zone of the machine. */
const parameter = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : value)

/** Returns the fragment for a value that becomes part of the text. Undefined for a value that becomes a parameter. */
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
 * Makes statements from fragments. The text and the name of a statement are cached by the template strings of its
 * fragments, since JavaScript passes the same array each time a line runs. Joining a long text takes longer than
 * everything else in this function. Values are never part of a text or of a cache key.
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
