import { isObject } from '../../json/json-object.js'
import { Work, WorkExceededError } from '../../json-schema/work.js'
import type { CredentialView } from './credential-view.js'
import type { JsonPath } from './jsonpath/ast.js'
import { isIssuerPath, isTypePath } from './vc-paths.js'
import type { CompiledField, CompiledItem } from './vp-query.js'

/** Work that the evaluation of one item on one credential may take, for all of its paths and for all of its filters. */
const WORK_FOR_PATHS = 1_000_000
const WORK_FOR_FILTERS = 20_000_000

interface Purses {
  readonly paths: Work
  readonly filters: Work
}

/** `path` is the JSONPath of the field; `reason` is to be read after it and names a keyword, never a value. */
export type Evaluation =
  | { readonly satisfied: true }
  | { readonly satisfied: false; readonly path: string; readonly reason: string }

/**
 * Whether a credential satisfies a query item: each of its fields.
 *
 * Of the paths of a field the first that selects anything counts, whatever the others select. All values that it selects must
 * satisfy the filter: a credential that holds a claim twice, once good and once bad, does not get past it. Two
 * members stand for more than their text: a `const` or `enum` on `$.type` asks whether it is among the types, which are a set,
 * and on `$.issuer` it asks for the identifier of an issuer that stands as an object.
 */
export function evaluateItem(item: CompiledItem, view: CredentialView): Evaluation {
  const purses = { paths: new Work(), filters: new Work() }
  purses.paths.allow(WORK_FOR_PATHS)
  purses.filters.allow(WORK_FOR_FILTERS)
  for (const field of item.fields) {
    const result = evaluateField(field, view, purses)
    if (!result.satisfied) return result
  }
  return { satisfied: true }
}

function evaluateField(field: CompiledField, view: CredentialView, purses: Purses): Evaluation {
  for (const { text, path } of field.paths) {
    try {
      // The same value twice is one value.
      const values = [...new Set(view.select(path, purses.paths))]
      if (values.length > 0) return applyFilter(field, text, path, values, purses.filters)
    } catch (error) {
      if (!(error instanceof WorkExceededError)) throw error
      return { satisfied: false, path: text, reason: 'is too much to evaluate on this credential' }
    }
  }
  return { satisfied: false, path: field.constraint.path.join(', '), reason: 'is not in the credential' }
}

function applyFilter(field: CompiledField, text: string, path: JsonPath, values: unknown[], work: Work): Evaluation {
  const { filter } = field
  if (filter === undefined) return { satisfied: true }
  const meanings = namesValues(field) ? meaningsOf(path, values) : []
  if (meanings.some((meaning) => filter.validate(meaning, work).length === 0)) return { satisfied: true }
  for (const value of values) {
    // Ajv's last error is the outermost: `contains`, not what failed within it.
    const violation = filter.validate(value, work).at(-1)
    if (violation !== undefined) return { satisfied: false, path: text, reason: reasonOf(violation.keyword) }
  }
  return { satisfied: true }
}

function namesValues({ constraint: { filter } }: CompiledField): boolean {
  return filter !== undefined && (filter.const !== undefined || filter.enum !== undefined)
}

/** What the types and the issuer of a credential mean one by one (VCDM 1.1 §4.3, §4.5). */
function meaningsOf(path: JsonPath, values: readonly unknown[]): readonly unknown[] {
  if (isTypePath(path)) return values.flat()
  return isIssuerPath(path) ? values.map((issuer) => (isObject(issuer) ? issuer.id : issuer)) : []
}

function reasonOf(keyword: string): string {
  if (keyword === 'bounds') return 'is too large to be checked by its filter'
  return keyword === 'false' ? 'is not allowed by its filter' : `does not satisfy ${keyword} of its filter`
}
