import { coseAlgorithmsOf } from '../../protocol/mdoc/cose/algorithms.js'
import { elementPathOf, mdocPathFault, zMdocMeta } from '../../protocol/mdoc/dcql.js'
import type { Querying } from '../../protocol/openid4vp/dcql/format.js'
import { pointerOf } from '../../protocol/openid4vp/dcql/item-claims.js'
import type { JsonPath } from '../../protocol/openid4vp/query/jsonpath/ast.js'
import { nameOf } from '../../protocol/openid4vp/query/vc-paths.js'
import type { CompiledItem } from '../../protocol/openid4vp/query/vp-query.js'
import type { Work } from '../../protocol/work.js'

/** Limit of doctypes in one item of a VP query; each doctype becomes a credential query. */
const MAX_DOCTYPES = 16

const UNITS_OF_A_NAME = 5

/** The first components of paths that are meant for the other formats. No namespace has one of these names. */
const OF_OTHER_FORMATS: ReadonlySet<unknown> = new Set(['vc', 'credentialSubject', 'issuer', 'type'])

/** Whether a path is `$.doctype`. */
export const isDoctypePath = ({ segments }: JsonPath): boolean =>
  segments.length === 1 && nameOf(segments[0]) === 'doctype'

/**
 * The doctypes in `const` or `enum` on `$.doctype`. If several fields name doctypes, only the doctypes that all of
 * these fields name are returned. Empty if no field names a doctype.
 */
function doctypesOf({ fields }: CompiledItem, work: Work): readonly string[] {
  let doctypes: readonly string[] | undefined
  for (const { paths, constraint } of fields) {
    if (!paths.every(({ path }) => isDoctypePath(path))) continue
    const named = constraint.filter?.const === undefined ? constraint.filter?.enum : [constraint.filter.const]
    if (named === undefined) continue
    work.spend(UNITS_OF_A_NAME * (named.length + (doctypes?.length ?? 0)))
    const names = new Set(named.filter((name): name is string => typeof name === 'string' && name !== ''))
    doctypes = doctypes === undefined ? [...names] : doctypes.filter((name) => names.has(name))
  }
  return (doctypes ?? []).slice(0, MAX_DOCTYPES)
}

const algorithmsOf = (names: readonly string[]) => [...new Set(names.flatMap(coseAlgorithmsOf))]

export const querying = {
  // OpenID4VP 1.0 Appendix B.2.3
  meta: zMdocMeta,
  // The namespace is left out, since people need not see it.
  namesOf: (path) => path.slice(1),
  retains: true,
  typesOf: (meta) => [zMdocMeta.parse(meta).doctype_value],
  idSuffix: 'mdoc',
  disclosesAll: false,
  authorizesTransactions: false,
  pathFault: mdocPathFault,
  metasOf: (item, _types, work) => doctypesOf(item, work).map((doctype_value) => ({ doctype_value })),
  meaningOf: (path) => {
    if (isDoctypePath(path)) return 'present'
    if (OF_OTHER_FORMATS.has(nameOf(path.segments[0]))) return 'absent'
    const pointer = pointerOf(path.segments)
    return typeof pointer !== 'string' && elementPathOf(pointer) !== undefined ? pointer : 'absent'
  },
  // OpenID4VP 1.0 Appendix B.2.2
  vpFormat: (algorithms, holderAlgorithms) => ({
    issuerauth_alg_values: algorithmsOf(algorithms),
    deviceauth_alg_values: algorithmsOf(holderAlgorithms),
  }),
  // In drafts, the SessionTranscript is computed differently. So this service does not request mobile documents from
  // wallets of drafts.
  exchange: {
    vpFormats: () => ({}),
    difNames: {},
    presentedAs: [],
    typeFields: () => [],
    jsonPathsOf: () => [],
    alwaysDisclosed: undefined,
  },
} as const satisfies Querying
