import { isObject, type JsonObject } from '../json/json-object.js'
import {
  type Assertion,
  arrayAssertions,
  numberAssertions,
  type Patterns,
  stringAssertions,
  typeAssertion,
  valueAssertions,
} from './assertions.js'
import type { Check, CheckOf } from './check.js'
import type { CheckedSchema } from './check-schema.js'
import { Evaluated } from './evaluated.js'
import { inPlaceApplicators, inPlaceApplicatorsOf2020 } from './in-place.js'
import { resolveReference } from './subschemas.js'
import { arrayApplicators, type MemberApplicator, objectApplicators, unevaluatedApplicators } from './to-members.js'

/** Cost of applying a schema to a value: a base, and a part for each keyword. */
const UNITS_OF_A_SCHEMA = 4
const UNITS_OF_A_KEYWORD = 2

type Keyword = (schema: JsonObject, checkOf: (schema: unknown) => Check, patterns: Patterns) => Check

/** The keywords of a dialect, in the order in which they are checked and reported. */
const KEYWORDS = { 'draft-07': keywordsOf('draft-07'), '2020-12': keywordsOf('2020-12') } as const

function keywordsOf(dialect: CheckedSchema['dialect']): ReadonlyMap<string, { make: Keyword; order: number }> {
  const is2020 = dialect === '2020-12'
  const keywords = Object.entries({
    type: asserting('type', typeAssertion),
    ...assertions({ ...numberAssertions, ...stringAssertions, ...valueAssertions }),
    ...inPlaceApplicators,
    ...(is2020 ? inPlaceApplicatorsOf2020 : {}),
    ...assertions(arrayAssertions),
    ...arrayApplicators[dialect],
    ...objectApplicators,
    ...(is2020 ? unevaluatedApplicators : {}),
  } satisfies Record<string, MemberApplicator>)
  return new Map(keywords.map(([name, make], order) => [name, { make, order }]))
}

function assertions(named: Readonly<Record<string, Assertion>>): Record<string, Keyword> {
  return Object.fromEntries(Object.entries(named).map(([name, assertion]) => [name, asserting(name, assertion)]))
}

function asserting(name: string, assertion: Assertion): Keyword {
  return (schema, _, patterns) => assertion(schema[name], patterns)
}

type Compiled = Pick<CheckedSchema, 'schema' | 'dialect' | 'patterns'>

/** Makes the check of a schema that passed `checkSchema` (see `checksWithin`). */
export const checkOfSchema = (checked: Compiled): Check => checksWithin(checked)(checked.schema)

/**
 * Makes the checks of a schema that passed `checkSchema`, and of the schemas in it. No part of the schema runs as code.
 * The keywords of each schema are looked up once. The work budget pays for every application of a schema.
 */
export function checksWithin({ schema: root, dialect, patterns }: Compiled): CheckOf {
  const made = new Map<JsonObject, Check>()

  const checkOf = (schema: unknown): Check => {
    if (!isObject(schema)) return schema === false ? nothing : anything
    const known = made.get(schema)
    if (known !== undefined) return known
    const check = inOrder(stepsOf(schema), 'unevaluatedProperties' in schema || 'unevaluatedItems' in schema)
    made.set(schema, check)
    return check
  }

  const stepsOf = (schema: JsonObject): Check[] => [
    ...(Object.hasOwn(schema, '$ref') ? [referenceTo(resolveReference(root, schema.$ref, '').target)] : []),
    ...Object.keys(schema)
      .flatMap((name) => KEYWORDS[dialect].get(name) ?? [])
      .sort((one, other) => one.order - other.order)
      .map(({ make }) => make(schema, checkOf, patterns)),
  ]

  // A reference's check is made when it is first applied: making the checks of a long chain at once may exceed the call
  // stack.
  const referenceTo =
    (target: unknown): Check =>
    (...application) =>
      checkOf(target)(...application)

  return checkOf
}

const anything: Check = () => true

const nothing: Check = (_, place, run) => run.fail(place, 'false', 'is not allowed')

/**
 * @param asks whether a step must know which members the other steps evaluated; these members are then recorded for
 * this schema alone
 */
function inOrder(steps: readonly Check[], asks: boolean): Check {
  return (value, place, run, seen) => {
    run.enter(UNITS_OF_A_SCHEMA + UNITS_OF_A_KEYWORD * steps.length)
    const own = asks ? new Evaluated(run.work) : seen
    let valid = true
    for (const step of steps) {
      if (step(value, place, run, own)) continue
      valid = false
      if (!run.all) break
    }
    if (valid && asks && own !== undefined) seen?.addFrom(own)
    run.leave()
    return valid
  }
}
