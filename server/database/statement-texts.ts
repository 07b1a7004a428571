import { Fragment } from './fragment.js'
import type { StatementNames } from './statement-names.js'

/** Some three hundred statements; beyond that all are forgotten, and made again as they come. */
const MAX_STEPS = 10_000

/** A statement as the driver takes it. */
export interface Statement {
  readonly name: string
  readonly text: string
  readonly values: unknown[]
}

/** Where one is in a statement: behind a value, or at the beginning of a fragment. */
class Step {
  /** Where the next place holds a value. */
  value: Step | undefined
  /** Where it holds a fragment, by the strings of that. */
  readonly fragments = new Map<readonly string[], Step>()
  /** Where the statement ends here. */
  kept: Omit<Statement, 'values'> | undefined
}

/** The driver writes a Date in this machine's time zone, and slowly. */
const parameter = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : value)

/** The text with `$1`, `$2`, … in the places of the values. */
function textOf(whole: Fragment): string {
  let parameters = 0
  const write = ({ strings, values }: Fragment): string =>
    strings.reduce((text, string, at) => {
      const value = values[at - 1]
      if (value instanceof Fragment) return `${text}${write(value)}${string}`
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
  let begin = new Step()
  let steps = 0
  const made = () => {
    steps += 1
    return new Step()
  }
  const into = (step: Step, strings: readonly string[]): Step => {
    const known = step.fragments.get(strings)
    if (known !== undefined) return known
    const first = made()
    step.fragments.set(strings, first)
    return first
  }
  const walk = (before: Step, { strings, values }: Fragment, parameters: unknown[]): Step => {
    let step = into(before, strings)
    for (const value of values) {
      if (value instanceof Fragment) step = walk(step, value, parameters)
      else {
        parameters.push(parameter(value))
        step.value ??= made()
        step = step.value
      }
    }
    return step
  }
  return (whole) => {
    if (steps > MAX_STEPS) {
      begin = new Step()
      steps = 0
    }
    const values: unknown[] = []
    const end = walk(begin, whole, values)
    if (end.kept === undefined) {
      const text = textOf(whole)
      end.kept = { name: nameOf(text), text }
    }
    return { ...end.kept, values }
  }
}
