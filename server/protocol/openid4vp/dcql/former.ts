import type { DcqlFault } from './check-references.js'
import type { DcqlQuery } from './dcql-query.js'
import type { QueryableFormat } from './format.js'

/**
 * The first member of a query that drafts of OpenID4VP up to 24 cannot express and that cannot be omitted; undefined if
 * there is none.
 */
export function formerFault({ credentials }: DcqlQuery): DcqlFault | undefined {
  for (const [index, { multiple, trusted_authorities: authorities }] of credentials.entries()) {
    const at = ['credentials', index]
    if (multiple === true) return { path: [...at, 'multiple'], message: 'must not be true' }
    if (authorities !== undefined) return { path: [...at, 'trusted_authorities'], message: 'must be left out' }
  }
  return undefined
}

/**
 * Writes a DCQL query with the members of draft 24 (§6). In draft 24 a query without `claims` asks for all claims. In
 * 1.0 a query without `claims` asks for no selectively disclosable claim. So the result names one claim that is always
 * disclosed.
 */
export function formerQuery({ credentials, ...sets }: DcqlQuery, formatNamed: (name: string) => QueryableFormat) {
  return {
    credentials: credentials.map(({ id, format, meta, claims, claim_sets }) => {
      const { name, querying } = formatNamed(format)
      const { alwaysDisclosed } = querying.exchange
      const least = alwaysDisclosed === undefined ? undefined : [{ path: [alwaysDisclosed] }]
      return { id, format: name, meta, claims: claims ?? least, claim_sets }
    }),
    ...sets,
  }
}
