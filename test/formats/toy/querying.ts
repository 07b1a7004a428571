import { z } from 'zod'
import type { Querying } from '../../../server/protocol/openid4vp/dcql/format.js'
import { pointerOf } from '../../../server/protocol/openid4vp/dcql/item-claims.js'
import { namedTypes } from '../../../server/protocol/openid4vp/dcql/item-types.js'
import { jsonPathOf } from '../../../server/protocol/openid4vp/presentation-exchange/definition.js'
import { memberOfVc } from '../../../server/protocol/openid4vp/query/vc-paths.js'
import type { CompiledItem } from '../../../server/protocol/openid4vp/query/vp-query.js'
import type { Work } from '../../../server/protocol/work.js'

function kindOf(item: CompiledItem, work: Work): string | undefined {
  const [[kind, ...others] = [], ...alternatives] = namedTypes(item, work) ?? []
  return others.length === 0 && alternatives.length === 0 ? kind : undefined
}

const zMeta = z.strictObject({ toy_value: z.string().min(1, 'must not be empty') })

export const querying: Querying = {
  meta: zMeta,
  namesOf: (path) => path,
  retains: false,
  typesOf: (meta) => [zMeta.parse(meta).toy_value],
  idSuffix: 'toy',
  disclosesAll: true,
  authorizesTransactions: false,
  pathFault: ({ length }) => (length === 2 ? undefined : { position: 0, message: 'must be a kind and a claim' }),
  metasOf: (item, _types, work) => {
    const kind = kindOf(item, work)
    return kind === undefined ? [] : [{ toy_value: kind }]
  },
  meaningOf: (path, item, _types, work) => {
    const { member, rest } = memberOfVc(path)
    if (member === 'type') return 'present'
    const kind = kindOf(item, work)
    if (member !== 'credentialSubject' || kind === undefined) return 'absent'
    const pointer = pointerOf(rest)
    return typeof pointer === 'string' ? pointer : [kind, ...pointer]
  },
  vpFormat: (algorithms) => ({ toy_alg_values: algorithms }),
  exchange: {
    vpFormats: (algorithms) => ({ toy: { alg: algorithms } }),
    difNames: {},
    presentedAs: ['toy'],
    typeFields: ({ toy_value: kind }) => [{ path: ['$.kind'], filter: { const: kind } }],
    jsonPathsOf: (path) => [jsonPathOf(path.slice(1))],
    alwaysDisclosed: undefined,
  },
}
