import { isObject } from '../../json/json-object.js'
import { type Work, WorkExceededError } from '../../work.js'
import type { CredentialView } from './credential-view.js'
import type { JsonPath } from './jsonpath/ast.js'
import { isIssuerPath, isTypePath } from './vc-paths.js'
import type { CompiledField, CompiledItem } from './vp-query.js'

/** `path` is the JSONPath of the field. `reason` completes the sentence that begins with the path; it names a keyword, never a value. */
export type Evaluation =
  | { readonly satisfied: true }
  | { readonly satisfied: false; readonly path: string; readonly reason: string }

/**
 * Whether a credential satisfies a query item. It must satisfy every field of the item.
 *
 * A field uses only the first of its paths that selects a value. All selected values must satisfy the filter. So a
 * credential that has a claim twice does not pass if one of the values is wrong. Two members have a special meaning. A
 * `const` or `enum` on `$.type` is satisfied if one of the credential's types has the value. On `$.issuer`, the value
 * is compared with the issuer's identifier, even if the issuer is an object.
 *
 * @param work the budget for the evaluation; if it is too small, the credential does not satisfy the item
 */
export function evaluateItem(item: CompiledItem, view: CredentialView, work: Work): Evaluation {
  for (const field of item.fields) {
    const result = evaluateField(field, view, work)
    if (!result.satisfied) return result
  }
  return { satisfied: true }
}

function evaluateField(field: CompiledField, view: CredentialView, work: Work): Evaluation {
  for (const { text, path } of field.paths) {
    try {
      // Each value is checked once, even if the path selects it several times.
      const values = [...new Set(view.select(path, work))]
      if (values.length > 0) return applyFilter(field, text, path, values, work)
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
    // The last violation belongs to the outermost schema: for example `contains`, not the violation inside `contains`.
    const violation = filter.validate(value, work).at(-1)
    if (violation !== undefined) return { satisfied: false, path: text, reason: reasonOf(violation.keyword) }
  }
  return { satisfied: true }
}

function namesValues({ constraint: { filter } }: CompiledField): boolean {
  return filter !== undefined && (filter.const !== undefined || filter.enum !== undefined)
}

/**
 * The values that `const` and `enum` are compared with in addition: each type of the credential, or the identifier of
 * the issuer (VCDM 1.1 §4.3, §4.5).
 */
function meaningsOf(path: JsonPath, values: readonly unknown[]): readonly unknown[] {
  if (isTypePath(path)) return values.flat()
  return isIssuerPath(path) ? values.map((issuer) => (isObject(issuer) ? issuer.id : issuer)) : []
}

function reasonOf(keyword: string): string {
  if (keyword === 'bounds') return 'is too large to be checked by its filter'
  return keyword === 'false' ? 'is not allowed by its filter' : `does not satisfy ${keyword} of its filter`
}
