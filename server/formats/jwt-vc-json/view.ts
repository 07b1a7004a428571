import { isObject, type JsonObject } from '../../protocol/json/json-object.js'
import { expandedTypesOf } from '../../protocol/openid4vp/dcql/w3c-types.js'
import type { CredentialView } from '../../protocol/openid4vp/query/credential-view.js'
import { selectByPath } from '../../protocol/openid4vp/query/jsonpath/evaluate.js'

/**
 * Members of a credential (VCDM 1.1 §4, §5; VCDM 2.0 §4). At the top level of the JWT, outside `vc`, these names have
 * no meaning.
 */
const VC_MEMBERS: ReadonlySet<string> = new Set([
  ...[
    '@context',
    'id',
    'type',
    'name',
    'description',
    'issuer',
    'holder',
    'issuanceDate',
    'expirationDate',
    'validFrom',
  ],
  ...['validUntil', 'credentialSubject', 'credentialSchema', 'credentialStatus', 'evidence', 'proof', 'refreshService'],
  ...['termsOfUse', 'relatedResource', 'verifiableCredential'],
])

/** Claims of the JWT (RFC 7519 §4.1, RFC 7800). Inside `vc`, these names have no meaning. */
const JWT_CLAIMS: ReadonlySet<string> = new Set([
  'iss',
  'sub',
  'aud',
  'exp',
  'nbf',
  'iat',
  'jti',
  'cnf',
  'nonce',
  'vc',
  'vp',
])

/** Whether a name is a claim of the JWT that contains a credential, and not a member of the credential. */
export const isJwtClaim = (name: string): boolean => JWT_CLAIMS.has(name)

/**
 * A JWT VC as queries read it. It has two roots: the credential (`$.credentialSubject`) and the payload (`$.iss`,
 * `$.vc.credentialSubject`). A JSONPath selects from both roots, but a name that belongs to one root never selects from
 * the other root. So no member outside the credential can replace a member of the credential. Claims paths start at the
 * credential.
 *
 * @param payload of the JWT, including `vc`.
 */
export function jwtVcView(payload: JsonObject): CredentialView {
  const root = decodedVc(payload)
  let roots: readonly [JsonObject, JsonObject] | undefined
  return {
    format: 'jwt_vc_json',
    root,
    mismatchWith: ({ type_values: alternatives }) => {
      // OpenID4VP 1.0 Appendix B.1.1: the credential has all types of one alternative. The order does not matter, and
      // the credential may have further types.
      const types = expandedTypesOf(root)
      const isMet = (alternative: unknown) =>
        Array.isArray(alternative) && alternative.every((type: string) => types.has(type))
      if (Array.isArray(alternatives) && alternatives.some(isMet)) return undefined
      return { check: 'type_values', path: 'type', verdict: 'is of none of the type_values.' }
    },
    select: (path, work) => {
      roots ??= rootsOf(root, payload)
      const [vc] = roots
      if (path.segments.length === 0) return [vc]
      return roots.flatMap((start) => selectByPath(path, start, work))
    },
  }
}

function rootsOf(decoded: JsonObject, payload: JsonObject): readonly [JsonObject, JsonObject] {
  const vc = without(decoded, JWT_CLAIMS)
  return [vc, { ...without(payload, VC_MEMBERS), vc }]
}

/**
 * The credential in a JWT's payload: `vc`, in which `iss`, `jti` and `sub` replace the members that they represent
 * (VCDM 1.1 §6.3.1).
 */
function decodedVc(payload: JsonObject): JsonObject {
  const vc = isObject(payload.vc) ? payload.vc : {}
  const { iss, jti, sub } = payload
  const issuer = isObject(vc.issuer) ? { ...vc.issuer, id: iss } : iss
  return {
    ...vc,
    ...(iss === undefined ? {} : { issuer }),
    ...(jti === undefined ? {} : { id: jti }),
    ...(sub === undefined || !isObject(vc.credentialSubject)
      ? {}
      : { credentialSubject: { ...vc.credentialSubject, id: sub } }),
  }
}

function without(object: JsonObject, names: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.has(name)))
}
