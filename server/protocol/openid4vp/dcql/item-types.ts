import { isTypePath } from '../query/credential-view.js'
import type { VpFilter } from '../query/vp-filter.js'
import type { CompiledItem } from '../query/vp-query.js'
import { isVctPath } from './item-claims.js'
import { VERIFIABLE_CREDENTIAL_TYPES } from './w3c-types.js'

/** Alternatives of a query: beyond so many the query asks for less exactly, and the answer is checked all the same. */
const MAX_ALTERNATIVES = 64

/** What a DCQL query may ask for in this installation. */
export interface KnownTypes {
  /** The `vct` of a type of this installation. */
  readonly vctOfType: (name: string) => string | undefined
  /** Every `vct` of this installation. */
  readonly allVcts: readonly string[]
}

/**
 * `type_values` of an item (OpenID4VP 1.0 Appendix B.1.1): the names that const, enum or contains on `$.type` or `$.vc.type`
 * give, else `VerifiableCredential` in both of its forms.
 */
export function typeValuesOf(item: CompiledItem): string[][] {
  return namedTypes(item) ?? VERIFIABLE_CREDENTIAL_TYPES.map((type) => [type])
}

/**
 * `vct_values` of an item (Appendix B.3.5): those that const or enum on `$.vct` give, else those of the named types (a foreign
 * name as it stands), else all of this installation.
 */
export function vctValuesOf(item: CompiledItem, { vctOfType, allVcts }: KnownTypes): string[] {
  const named = namedVcts(item)
  if (named !== undefined) return named
  // An SD-JWT VC has one type: it cannot be of several at once.
  const names = namedTypes(item)?.flatMap(([name, ...others]) =>
    name === undefined || others.length > 0 ? [] : [name],
  )
  return [...new Set(names?.map((name) => vctOfType(name) ?? name) ?? allVcts)]
}

/** Alternatives of type names that the credential must have, all of one of them. Undefined where the item names none. */
function namedTypes({ fields }: CompiledItem): string[][] | undefined {
  const constraints = fields
    .filter(({ paths }) => paths.some(({ path }) => isTypePath(path)))
    .flatMap(({ constraint: { filter } }) => {
      const alternatives = filter === undefined ? [] : alternativesOf(filter)
      return alternatives.length === 0 || alternatives.some((names) => names.length === 0) ? [] : [alternatives]
    })
  if (constraints.length === 0) return undefined
  // Each constraint must hold: one alternative of each.
  return constraints.reduce((all, alternatives) =>
    all.flatMap((names) => alternatives.map((more) => [...new Set([...names, ...more])])).slice(0, MAX_ALTERNATIVES),
  )
}

function alternativesOf(filter: VpFilter): string[][] {
  const named = namedBy(filter)
  if (named !== undefined) return named
  const { contains } = filter
  return (typeof contains === 'object' ? namedBy(contains) : undefined) ?? []
}

/** The names in `const` or `enum`; a name may stand alone or in an array of them. That it is a credential goes without saying. */
function namedBy(filter: VpFilter): string[][] | undefined {
  const values = filter.const === undefined ? filter.enum : [filter.const]
  return values
    ?.map((value) => [value].flat())
    .filter((names) => names.every((name) => typeof name === 'string'))
    .map((names) => names.filter((name) => !VERIFIABLE_CREDENTIAL_TYPES.some((type) => type === name)))
}

function namedVcts({ fields }: CompiledItem): string[] | undefined {
  let vcts: string[] | undefined
  for (const { paths, constraint } of fields) {
    const { filter } = constraint
    if (filter === undefined || !paths.some(({ path }) => isVctPath(path))) continue
    const values = (filter.const === undefined ? filter.enum : [filter.const])?.filter(
      (value) => typeof value === 'string',
    )
    if (values !== undefined) vcts = vcts === undefined ? values : vcts.filter((vct) => values.includes(vct))
  }
  return vcts
}
