import { z } from 'zod'
import { list, MAX_VALUES } from '../../protocol/openid4vp/dcql/claims-query.js'
import { MAX_SETS } from '../../protocol/openid4vp/dcql/credential-query.js'
import type { Querying } from '../../protocol/openid4vp/dcql/format.js'
import { pointerOf } from '../../protocol/openid4vp/dcql/item-claims.js'
import { namedTypes } from '../../protocol/openid4vp/dcql/item-types.js'
import { VERIFIABLE_CREDENTIAL_TYPES } from '../../protocol/openid4vp/dcql/w3c-types.js'
import { type Field, jsonPathOf, oneOf } from '../../protocol/openid4vp/presentation-exchange/definition.js'
import { isIssuerPath, isVctPath, memberOfVc, nameOf } from '../../protocol/openid4vp/query/vc-paths.js'
import { isJwtClaim } from './view.js'

const [EXPANDED, SHORT] = VERIFIABLE_CREDENTIAL_TYPES

/**
 * Limit of fields for the types of one descriptor. Further fields are left out. The verifier checks the answer against
 * the whole query anyway.
 */
const MAX_TYPE_FIELDS = 8

/**
 * Expresses alternatives of types as fields that must all be satisfied. Each field requires one of several types, since
 * a library that many wallets use supports no filter with `allOf` or `anyOf`. Every credential has the type
 * `VerifiableCredential`. Wallets of drafts know only the short form of this name.
 */
function typeFields(alternatives: readonly (readonly string[])[]): Field[] {
  const named = alternatives.map((types) => {
    const names = new Set(types.map((type) => (type === EXPANDED ? SHORT : type)))
    if (names.size > 1) names.delete(SHORT)
    return [...names]
  })
  // The credential must have all types of one alternative. The same rule in the form of fields: for each way to take
  // one type from every alternative, the credential must have at least one of the taken types.
  const choices = named.reduce<readonly (readonly string[])[]>(
    (chosen, names) =>
      chosen.flatMap((some) => names.map((name) => [...new Set([...some, name])])).slice(0, MAX_TYPE_FIELDS),
    [[]],
  )
  const distinct = new Map(choices.map((names) => [JSON.stringify(names), names])).values()
  return Array.from(distinct, (names) => ({
    path: ['$.vc.type', '$.type'],
    filter: { type: 'array', contains: oneOf(names) },
  }))
}

// OpenID4VP 1.0 Appendix B.1.1
const zMeta = z.strictObject({
  type_values: list(list(z.string().min(1, 'must not be empty'), MAX_SETS), MAX_VALUES),
})

const isNoType: ReadonlySet<string> = new Set(VERIFIABLE_CREDENTIAL_TYPES)

export const querying = {
  meta: zMeta,
  namesOf: (path) => (path[0] === 'credentialSubject' && path.length > 1 ? path.slice(1) : path),
  retains: false,
  typesOf: (meta) => zMeta.parse(meta).type_values.flatMap((types) => types.filter((type) => !isNoType.has(type))),
  idSuffix: 'jwt-vc',
  disclosesAll: true,
  authorizesTransactions: false,
  pathFault: ([first]) => {
    // OpenID4VP 1.0 Appendix B.1.2: paths start at the root of the credential, not at the root of the JWT that contains
    // the credential.
    if (first !== 'vc') return undefined
    return { position: 0, message: 'must be a member of the credential, such as credentialSubject, not vc' }
  },
  // The types that the item names. Without such types, `VerifiableCredential`, both as a short name and as an expanded
  // name.
  metasOf: (item, _types, work) => {
    const type_values = namedTypes(item, work) ?? VERIFIABLE_CREDENTIAL_TYPES.map((type) => [type])
    return type_values.length === 0 ? [] : [{ type_values }]
  },
  meaningOf: (path) => {
    if (memberOfVc(path).member === 'type') return 'present'
    if (isVctPath(path)) return 'absent'
    // The issuer may be an object, and then the query means its `id`. A claims path cannot express these two cases.
    if (isIssuerPath(path)) return 'present'
    const name = nameOf(path.segments[0])
    if (name === 'vc') return pointerOf(path.segments.slice(1))
    // Claims of the JWT need no query: they are in every presentation.
    return name !== undefined && isJwtClaim(name) ? 'present' : pointerOf(path.segments)
  },
  // OpenID4VP 1.0 Appendix B.1.3.1.3
  vpFormat: (algorithms) => ({ alg_values: algorithms }),
  // Draft 24 Appendix B.1.1, draft 21 Appendix A.1.1
  exchange: {
    vpFormats: (algorithms, holderAlgorithms) => ({
      jwt_vc_json: { alg: algorithms },
      jwt_vp_json: { alg: holderAlgorithms },
    }),
    difNames: { jwt_vc_json: 'jwt_vc', jwt_vp_json: 'jwt_vp' },
    // Some wallets send the format names of DIF Presentation Exchange.
    presentedAs: ['jwt_vp_json', 'jwt_vc_json', 'jwt_vp', 'jwt_vc'],
    typeFields: ({ type_values: alternatives }) => (Array.isArray(alternatives) ? typeFields(alternatives) : []),
    jsonPathsOf: (path) => [jsonPathOf(path, '$.vc'), jsonPathOf(path)],
    alwaysDisclosed: undefined,
  },
} as const satisfies Querying
