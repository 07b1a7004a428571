import type { JsonPath, Segment } from '../query/jsonpath/ast.js'
import type { CompiledField } from '../query/vp-query.js'
import type { ClaimsPath, ClaimValue } from './claims-query.js'
import type { PathMeaning } from './format.js'

/** The claims of a credential that a field of a query item asks for, in one format. */
export type FieldClaims =
  /** One of these claims; the first claim is preferred. */
  | {
      readonly kind: 'claims'
      readonly paths: readonly ClaimsPath[]
      readonly values: readonly ClaimValue[] | undefined
    }
  /**
   * The query asks for no claim here, because every presentation contains the value, whichever claims the holder
   * discloses.
   */
  | { readonly kind: 'present' }
  /** The field asks for a value that no credential of the format has. */
  | { readonly kind: 'absent' }
  /** The field asks for a value that a claims path cannot express. */
  | { readonly kind: 'inexpressible' }

/** Maps the paths of a field to claims paths of a format, each once. */
export function claimsOfField(
  { paths, constraint: { filter } }: CompiledField,
  meaningOf: (path: JsonPath) => PathMeaning,
): FieldClaims {
  const meanings = paths.map(({ path }) => meaningOf(path))
  if (meanings.includes('inexpressible')) return { kind: 'inexpressible' }
  if (meanings.includes('present')) return { kind: 'present' }
  const claims = new Map(
    meanings.flatMap((meaning) => (typeof meaning === 'string' ? [] : [[JSON.stringify(meaning), meaning] as const])),
  )
  if (claims.size === 0) return { kind: 'absent' }
  return { kind: 'claims', paths: [...claims.values()], values: claimValues(filter) }
}

/** Converts a JSONPath of names, indices from the start and `[*]` to a claims path pointer (§7.1). */
export function pointerOf(segments: readonly Segment[]): ClaimsPath | 'inexpressible' {
  const path: ClaimsPath = []
  for (const { descendant, selectors } of segments) {
    const [selector, ...others] = selectors
    if (descendant || others.length > 0) return 'inexpressible'
    if (selector?.kind === 'name') path.push(selector.name)
    else if (selector?.kind === 'wildcard') path.push(null)
    else if (selector?.kind === 'index' && selector.index >= 0) path.push(selector.index)
    else return 'inexpressible'
  }
  // A path without segments names the root, which is no claim. The first component of a claims path is never an index,
  // since the root is an object.
  return typeof path[0] === 'string' ? path : 'inexpressible'
}

/** `const` and `enum` as `values` (§6.3); undefined if a value is neither string nor integer nor boolean. */
function claimValues(filter: CompiledField['constraint']['filter']): readonly ClaimValue[] | undefined {
  const values = filter?.const === undefined ? filter?.enum : [filter.const]
  return values !== undefined && values.length > 0 && values.every(isClaimValue) ? values : undefined
}

function isClaimValue(value: unknown): value is ClaimValue {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value)
}
