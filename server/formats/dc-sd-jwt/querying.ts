import { z } from 'zod'
import { list, MAX_VALUES } from '../../protocol/openid4vp/dcql/claims-query.js'
import type { KnownTypes, Querying } from '../../protocol/openid4vp/dcql/format.js'
import { pointerOf } from '../../protocol/openid4vp/dcql/item-claims.js'
import { namedTypes } from '../../protocol/openid4vp/dcql/item-types.js'
import { type Exchange, jsonPathOf, oneOf } from '../../protocol/openid4vp/presentation-exchange/definition.js'
import { isIssuerPath, isVctPath, memberOfVc } from '../../protocol/openid4vp/query/vc-paths.js'
import type { CompiledItem } from '../../protocol/openid4vp/query/vp-query.js'
import type { Work } from '../../protocol/work.js'
import { FORMER_NAME } from './former-name.js'
import { typeOfVct, vctOf } from './vct.js'

const NAME = 'dc+sd-jwt'

/**
 * The `vct_values` for an item (Appendix B.3.5). They come from the first of these sources that exists: `const` or
 * `enum` for `$.vct`; the type names of the item (a name of a foreign type is used unchanged); all types of this
 * installation.
 */
function vctValuesOf(item: CompiledItem, types: KnownTypes, work: Work): string[] {
  const named = namedVcts(item)
  if (named !== undefined) return named
  const names = namedTypes(item, work)
  if (names === undefined) return types.names.map((name) => vctOf(types, name))
  const known = new Set(types.names)
  // An SD-JWT VC has exactly one type.
  const single = names.flatMap(([name, ...others]) => (name === undefined || others.length > 0 ? [] : [name]))
  return [...new Set(single.map((name) => (known.has(name) ? vctOf(types, name) : name)))]
}

function inBoth(some: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others)
  return some.filter((name) => known.has(name))
}

function namedVcts({ fields }: CompiledItem): string[] | undefined {
  let vcts: string[] | undefined
  for (const { paths, constraint } of fields) {
    const { filter } = constraint
    if (filter === undefined || !paths.some(({ path }) => isVctPath(path))) continue
    const values = (filter.const === undefined ? filter.enum : [filter.const])?.filter(
      (value) => typeof value === 'string',
    )
    if (values !== undefined) vcts = vcts === undefined ? values : inBoth(vcts, values)
  }
  return vcts
}

const vpFormat = (algorithms: readonly string[], holderAlgorithms: readonly string[]) => ({
  'sd-jwt_alg_values': algorithms,
  'kb-jwt_alg_values': holderAlgorithms,
})

/** Draft 24 Appendix B.4, draft 21 Appendix A.4; only the format's name differs. */
const exchangeUnder = (name: string): Exchange => ({
  vpFormats: (algorithms, holderAlgorithms) => ({ [name]: vpFormat(algorithms, holderAlgorithms) }),
  difNames: {},
  presentedAs: [NAME, FORMER_NAME],
  typeFields: ({ vct_values: vcts }) =>
    Array.isArray(vcts) ? [{ path: ['$.vct'], filter: { type: 'string', ...oneOf(vcts) } }] : [],
  jsonPathsOf: (path) => [jsonPathOf(path)],
  alwaysDisclosed: 'vct',
})

// OpenID4VP 1.0 Appendix B.3.5
const zMeta = z.strictObject({ vct_values: list(z.string().min(1, 'must not be empty'), MAX_VALUES) })

export const querying = {
  meta: zMeta,
  namesOf: (path) => path,
  retains: false,
  typesOf: (meta, types) => zMeta.parse(meta).vct_values.map((vct) => typeOfVct(types, vct) ?? vct),
  idSuffix: 'sd-jwt',
  disclosesAll: false,
  // OpenID4VP 1.0 Appendix B.3.3
  authorizesTransactions: true,
  pathFault: () => undefined,
  metasOf: (item, types, work) => {
    const vct_values = vctValuesOf(item, types, work)
    return vct_values.length === 0 ? [] : [{ vct_values }]
  },
  meaningOf: (path) => {
    const { member, rest } = memberOfVc(path)
    // The types follow from the vct, which is always present.
    if (member === 'type' || isVctPath(path)) return 'present'
    if (isIssuerPath(path)) return ['iss']
    return pointerOf(member === 'credentialSubject' ? rest : path.segments)
  },
  // OpenID4VP 1.0 Appendix B.3.4
  vpFormat,
  exchange: exchangeUnder(NAME),
} as const satisfies Querying

export const formerQuerying = { ...querying, exchange: exchangeUnder(FORMER_NAME) } as const satisfies Querying
