import { z } from 'zod'
import { list, MAX_VALUES } from '../../protocol/openid4vp/dcql/claims-query.js'
import { MAX_SETS } from '../../protocol/openid4vp/dcql/credential-query.js'
import type { Querying } from '../../protocol/openid4vp/dcql/format.js'
import { pointerOf } from '../../protocol/openid4vp/dcql/item-claims.js'
import { namedTypes } from '../../protocol/openid4vp/dcql/item-types.js'
import { VERIFIABLE_CREDENTIAL_TYPES } from '../../protocol/openid4vp/dcql/w3c-types.js'
import { isIssuerPath, isVctPath, memberOfVc, nameOf } from '../../protocol/openid4vp/query/vc-paths.js'
import { isJwtClaim } from './view.js'

export const querying = {
  // OpenID4VP 1.0 Appendix B.1.1
  meta: z.strictObject({ type_values: list(list(z.string().min(1, 'must not be empty'), MAX_SETS), MAX_VALUES) }),
  idSuffix: 'jwt-vc',
  disclosesAll: true,
  authorizesTransactions: false,
  pathFault: ([first]) => {
    // OpenID4VP 1.0 Appendix B.1.2: paths start at the root of the credential, not of the JWT around it.
    if (first !== 'vc') return undefined
    return { position: 0, message: 'must be a member of the credential, such as credentialSubject, not vc' }
  },
  // The named types, else `VerifiableCredential` in both of its forms.
  metaOf: (item, _types, work) => {
    const type_values = namedTypes(item, work) ?? VERIFIABLE_CREDENTIAL_TYPES.map((type) => [type])
    return type_values.length === 0 ? undefined : { type_values }
  },
  meaningOf: (path) => {
    if (memberOfVc(path).member === 'type') return 'present'
    if (isVctPath(path)) return 'absent'
    // It may stand as an object, whose `id` is meant: no claims path says so.
    if (isIssuerPath(path)) return 'present'
    const name = nameOf(path.segments[0])
    if (name === 'vc') return pointerOf(path.segments.slice(1))
    // The claims of the JWT are disclosed too.
    return name !== undefined && isJwtClaim(name) ? 'present' : pointerOf(path.segments)
  },
  // OpenID4VP 1.0 Appendix B.1.3.1.3
  vpFormat: (algorithms) => ({ alg_values: algorithms }),
} as const satisfies Querying
