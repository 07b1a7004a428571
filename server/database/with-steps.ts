import { Fragment, identifier, Step } from './fragment.js'

type AnyStep = Step

function collect({ values }: Fragment, found: Set<AnyStep>): void {
  for (const value of values) {
    if (value instanceof Fragment) collect(value, found)
    else if (value instanceof Step) add(value, found)
  }
}

function add(step: AnyStep, found: Set<AnyStep>): void {
  if (found.has(step)) return
  collect(step.body, found)
  found.add(step)
  for (const companion of step.companions) add(companion, found)
}

/** What stands around the names and bodies of so many steps. */
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
 * A statement with the steps that its parts hold.
 *
 * @param also steps that nothing reads
 * @throws Error where two steps have one name
 */
export function withSteps(whole: Fragment, also: readonly AnyStep[] = []): Fragment {
  const found = new Set<AnyStep>()
  collect(whole, found)
  for (const step of also) add(step, found)
  if (found.size === 0) return whole
  if (new Set([...found].map(({ name }) => name)).size < found.size)
    throw new Error(`Two steps of a statement have one name: ${[...found].map(({ name }) => name).join(', ')}.`)
  const parts = [...found].flatMap(({ name, body }) => [identifier(name), body])
  return new Fragment(clauseOf(found.size), [...parts, whole])
}
