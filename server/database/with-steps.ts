import { Fragment, identifier, type SqlValue, Step } from './fragment.js'

function collect({ values }: Fragment, found: Step[]): void {
  for (const value of values) {
    if (value instanceof Fragment) collect(value, found)
    else if (value instanceof Step) add(value, found)
  }
}

function add(step: Step, found: Step[]): void {
  for (const other of found) {
    if (other === step) return
    if (other.name === step.name) throw new Error(`Two steps of a statement have one name: ${step.name}.`)
  }
  collect(step.body, found)
  found.push(step)
  for (const companion of step.companions) add(companion, found)
}

/** A cache of the texts between the names and bodies of steps, by the number of steps in a statement. */
const clauses: (readonly string[])[] = []

function clauseOf(count: number): readonly string[] {
  clauses[count] ??= Array.from({ length: 2 * count + 2 }, (_, at) => {
    if (at === 0) return 'WITH '
    if (at === 2 * count + 1) return ''
    if (at % 2 === 1) return ' AS ('
    return at === 2 * count ? ')\n' : '),\n'
  })
  return clauses[count]
}

/**
 * Adds the steps that the parts of a statement contain to the beginning of the statement.
 *
 * @param also steps that no part reads
 * @throws Error if two steps have one name
 */
export function withSteps(whole: Fragment, also: readonly Step[] = []): Fragment {
  const found: Step[] = []
  collect(whole, found)
  for (const step of also) add(step, found)
  if (found.length === 0) return whole
  const parts: SqlValue[] = []
  for (const { name, body } of found) parts.push(identifier(name), body)
  parts.push(whole)
  return new Fragment(clauseOf(found.length), parts)
}
