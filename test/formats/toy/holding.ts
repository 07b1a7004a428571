import type { Holding } from '../../../server/formats/holding.js'
import { isObject } from '../../../server/protocol/json/json-object.js'
import { payloadOfToy, rootOfToy } from './compact.js'
import { proofOf, viewOf } from './verifying.js'

export const holding: Holding = {
  formerNames: ['draft-toy'],
  alwaysBound: false,
  // The libraries do not know this format. The DCQL library treats it as a W3C credential.
  library: {
    checksConfigurations: false,
    query: (query) => {
      const kind = isObject(query.meta) ? query.meta.toy_value : undefined
      return { ...query, format: 'jwt_vc_json', meta: { type_values: [[kind]] } }
    },
    credential: (types) => ({ credential_format: 'jwt_vc_json', type: [...types], claims: {} }),
  },
  typesOf: ({ toy_kind: kind }) => (typeof kind === 'string' ? [kind] : []),
  metaOf: (types) => ({ type_values: [[...types]] }),
  claimsOf: (compact) => rootOfToy(payloadOfToy(compact)),
  subjectOf: (claims) => Object.assign({}, ...Object.values(claims)),
  x5cOf: () => undefined,
  statusOf: (compact) => [payloadOfToy(compact).status],
  isTakenBy: () => true,
  present: async ({ compact, signer, proofWanted, nonce, audience }) =>
    proofWanted ? proofOf(signer, compact, nonce, audience) : compact,
  exchange: {
    viewOf: (compact) => viewOf(payloadOfToy(compact)),
    submittedAs: (path) => ({ format: 'toy', path }),
  },
}
