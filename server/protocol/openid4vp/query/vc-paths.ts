import type { JsonPath, Segment } from './jsonpath/ast.js'

/**
 * Splits a path into the member of the credential at which it starts and the following segments. A leading `vc` is left
 * out.
 */
export function memberOfVc({ segments }: JsonPath): { member: string | undefined; rest: readonly Segment[] } {
  const inVc = nameOf(segments[0]) === 'vc' ? 1 : 0
  return { member: nameOf(segments[inVc]), rest: segments.slice(inVc + 1) }
}

/**
 * Whether a path leads to the types of a credential: `$.type` or `$.vc.type`, to the whole array or to each type
 * (`[*]`).
 */
export function isTypePath(path: JsonPath): boolean {
  const { member, rest } = memberOfVc(path)
  const [each, ...others] = rest
  return member === 'type' && (each === undefined || (others.length === 0 && isWildcard(each)))
}

/** Whether a path leads to the issuer of a credential: `$.issuer` or `$.vc.issuer`, or the `id` of either. */
export function isIssuerPath(path: JsonPath): boolean {
  const { member, rest } = memberOfVc(path)
  const [id, ...others] = rest
  return member === 'issuer' && (id === undefined || (others.length === 0 && nameOf(id) === 'id'))
}

/** Whether a path is `$.vct`. */
export function isVctPath({ segments }: JsonPath): boolean {
  return segments.length === 1 && nameOf(segments[0]) === 'vct'
}

/** The name of a segment that selects a member by its name only. */
export function nameOf(segment: Segment | undefined): string | undefined {
  const [selector, ...others] = segment?.selectors ?? []
  return segment?.descendant === false && others.length === 0 && selector?.kind === 'name' ? selector.name : undefined
}

function isWildcard({ descendant, selectors }: Segment): boolean {
  return !descendant && selectors.length === 1 && selectors[0]?.kind === 'wildcard'
}
