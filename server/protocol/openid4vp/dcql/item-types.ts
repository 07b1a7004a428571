import type { Work } from '../../work.js'
import { isTypePath } from '../query/vc-paths.js'
import type { VpFilter } from '../query/vp-filter.js'
import type { CompiledItem } from '../query/vp-query.js'
import { VERIFIABLE_CREDENTIAL_TYPES } from './w3c-types.js'

/**
 * Limit of alternatives in a query. A query with more alternatives is less exact than its item, but the answer is
 * always checked against the item.
 */
const MAX_ALTERNATIVES = 64

const UNITS_OF_A_NAME = 5

/**
 * Returns alternatives of type names: a credential must have all names of one alternative. The names are the values of
 * `const`, `enum` or `contains` for `$.type` or `$.vc.type`. Undefined if the item names no type.
 *
 * @param work the budget for the alternatives
 * @throws WorkExceededError
 */
export function namedTypes({ fields }: CompiledItem, work: Work): string[][] | undefined {
  const constraints = fields
    .filter(({ paths }) => paths.some(({ path }) => isTypePath(path)))
    .flatMap(({ constraint: { filter } }) => {
      const alternatives = filter === undefined ? [] : alternativesOf(filter)
      return alternatives.length === 0 || alternatives.some((names) => names.length === 0) ? [] : [alternatives]
    })
  if (constraints.length === 0) return undefined
  // A credential must satisfy every constraint. So each combination has one alternative of every constraint.
  return constraints.reduce((all, alternatives) => firstCombinations(all, alternatives, work))
}

function firstCombinations(all: readonly string[][], alternatives: readonly string[][], work: Work): string[][] {
  const found: string[][] = []
  for (const names of all) {
    for (const more of alternatives) {
      if (found.length === MAX_ALTERNATIVES) return found
      work.spend(UNITS_OF_A_NAME * (1 + names.length + more.length))
      found.push([...new Set([...names, ...more])])
    }
  }
  return found
}

function alternativesOf(filter: VpFilter): string[][] {
  const named = namedBy(filter)
  if (named !== undefined) return named
  const { contains } = filter
  return (typeof contains === 'object' ? namedBy(contains) : undefined) ?? []
}

/** The names in `const` or `enum`, each a single name or an array of names. `VerifiableCredential` is left out. */
function namedBy(filter: VpFilter): string[][] | undefined {
  const values = filter.const === undefined ? filter.enum : [filter.const]
  return values
    ?.map((value) => [value].flat())
    .filter((names) => names.every((name) => typeof name === 'string'))
    .map((names) => names.filter((name) => !VERIFIABLE_CREDENTIAL_TYPES.some((type) => type === name)))
}
