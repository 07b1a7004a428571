import type { VpQueryItem } from './vp-query.js'

/** The paths that name a credential's issuer. */
const ISSUER_PATHS: ReadonlySet<string> = new Set(['$.issuer', '$.issuer.id', '$.vc.issuer', '$.vc.issuer.id', '$.iss'])

/**
 * The issuers that a query item names by `const` or `enum`; undefined if the item names no issuer. A field is used only
 * if all of its paths lead to the issuer. If several fields are used, the result is the issuers that all of them name.
 * Keywords except `const` and `enum`, such as `pattern`, name no issuer.
 */
export function allowedIssuersOf({ fields }: VpQueryItem): readonly string[] | undefined {
  let allowed: readonly string[] | undefined
  for (const { path, filter } of fields) {
    if (filter === undefined || !path.every((text) => ISSUER_PATHS.has(text))) continue
    const named = filter.const === undefined ? filter.enum : [filter.const]
    if (named === undefined) continue
    const issuers = named.filter((issuer) => typeof issuer === 'string')
    allowed = allowed === undefined ? issuers : allowed.filter((issuer) => issuers.includes(issuer))
  }
  return allowed
}
