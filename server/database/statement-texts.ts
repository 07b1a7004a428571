import { channel } from 'node:diagnostics_channel'
import { Fragment, identifier, type SqlValue, Step } from './fragment.js'
import type { StatementNames } from './statement-names.js'

/** Some three hundred statements; beyond that all are forgotten, and made again as they come. */
const MAX_PLACES = 10_000

/** A statement as the driver takes it. */
export interface Statement {
  readonly name: string
  readonly text: string
  readonly values: unknown[]
}

/** Told each text when it is made, on the way from the store that asks: a test prints all of them. */
export const textsMade = channel('credence:statement')

/** A place in a statement: behind a value, or at the beginning of a fragment. */
class Place {
  /** The place behind a value. */
  value: Place | undefined
  /** The places at the beginning of fragments, by the strings of these. */
  readonly fragments = new Map<readonly string[], Place>()
  /** Where the statement ends here. */
  kept: Omit<Statement, 'values'> | undefined
}

/** The driver writes a Date in this machine's time zone, and slowly. */
const parameter = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : value)

/** The part of the text that a value is; undefined for a parameter. */
function partOf(value: SqlValue): Fragment | undefined {
  if (value instanceof Fragment) return value
  return value instanceof Step ? identifier(value.name) : undefined
}

/** The text with `$1`, `$2`, … in the places of the values. */
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
 * Makes statements of fragments. The text and its name are kept by the templates that they consist of, since a template is the same array each
 * time its line runs: putting a long text together takes longer than all else that is done with it here. Values are
 * never part of a text, nor of what it is kept by.
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
