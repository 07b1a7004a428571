import { isObject, type JsonObject } from '../../json/json-object.js'
import type { Work } from '../../json-schema/work.js'
import type { JsonPath, Segment } from './jsonpath/ast.js'
import { selectByPath } from './jsonpath/evaluate.js'

/** A credential whose signature is verified, as queries look at it. */
export type CredentialView =
  | { readonly format: 'jwt_vc_json' /** The payload of the JWT, `vc` in it. */; readonly payload: JsonObject }
  | {
      readonly format: 'dc+sd-jwt'
      /** The payload with all disclosures in place, and undefined in the place of each array element that has none. */
      readonly claims: JsonObject
    }

/** The type name that a `vct` of this installation stands for, undefined for a foreign one. */
export type TypeOfVct = (vct: string) => string | undefined

/** Members of a credential (VCDM 1.1 §4, §5; VCDM 2.0 §4): at the top of the JWT they mean nothing, and must not pass for the credential's. */
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

/** Claims of the JWT (RFC 7519 §4.1, RFC 7800): within `vc` they mean nothing, and must not pass for the JWT's. */
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

/**
 * The values that a path selects in a credential.
 *
 * A JWT VC has two roots: the credential (`$.credentialSubject`) and the payload (`$.iss`, `$.vc.credentialSubject`). A path
 * selects from both, but a name that belongs to one of them never selects from the other, so that nothing beside the
 * credential can stand in for a member of it. An SD-JWT VC has its claims as root. There `$.credentialSubject` and
 * `$.vc.credentialSubject` mean that root too, `$.type` and `$.vc.type` mean `["VerifiableCredential", name]`, and
 * `$.issuer`, `$.vc.issuer` and the `id` of either mean `iss`: no claim of that name can pass for the issuer. An index counts the
 * elements that the issuer signed, so that withholding one does not put another into its place; what is not disclosed is
 * never selected, nor does it stand in an array that is.
 *
 * @throws WorkExceededError
 */
export function selectInCredential(path: JsonPath, view: CredentialView, typeOfVct: TypeOfVct, work: Work): unknown[] {
  if (view.format === 'jwt_vc_json') {
    const vc = without(decodedVc(view.payload), JWT_CLAIMS)
    if (path.segments.length === 0) return [vc]
    const payload = { ...without(view.payload, VC_MEMBERS), vc }
    return [vc, payload].flatMap((root) => selectByPath(path, root, work))
  }
  const { member, rest } = memberOfVc(path)
  switch (member) {
    case 'credentialSubject':
      return withoutGaps(selectByPath({ segments: rest }, view.claims, work))
    case 'type':
      return selectByPath({ segments: rest }, sdJwtTypes(view.claims, typeOfVct), work)
    case 'issuer':
      return selectByPath({ segments: isIssuerPath(path) ? [] : rest }, view.claims.iss, work).filter(isPresent)
    default:
      return withoutGaps(selectByPath(path, view.claims, work))
  }
}

/** Values without the elements that are not disclosed, each the value itself where it has none. */
function withoutGaps(values: readonly unknown[]): unknown[] {
  // A path may select a value, and what is in it, any number of times.
  const known = new Map<unknown, unknown>()
  const filled = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (!known.has(value)) known.set(value, Array.isArray(value) ? elements(value) : members(value))
    return known.get(value)
  }
  const elements = (array: readonly unknown[]): unknown => {
    const disclosed = array.filter(isPresent).map(filled)
    return disclosed.length === array.length && disclosed.every((item, at) => item === array[at]) ? array : disclosed
  }
  const members = (object: object): unknown => {
    const entries = Object.entries(object).map(([name, value]) => [name, value, filled(value)] as const)
    if (entries.every(([, value, after]) => value === after)) return object
    return Object.fromEntries(entries.map(([name, , after]) => [name, after]))
  }
  return values.map(filled)
}

/** Whether a name belongs to the JWT around a credential, not to the credential. */
export function isJwtClaim(name: string): boolean {
  return JWT_CLAIMS.has(name)
}

/** The member of the credential that a path starts at, `vc` left aside, and what follows it. */
export function memberOfVc({ segments }: JsonPath): { member: string | undefined; rest: readonly Segment[] } {
  const inVc = nameOf(segments[0]) === 'vc' ? 1 : 0
  return { member: nameOf(segments[inVc]), rest: segments.slice(inVc + 1) }
}

/** Whether a path leads to the types of a credential: `$.type` or `$.vc.type`, as a whole or each of them (`[*]`). */
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

/** The name of a segment that selects a member by its name only. */
export function nameOf(segment: Segment | undefined): string | undefined {
  const [selector, ...others] = segment?.selectors ?? []
  return segment?.descendant === false && others.length === 0 && selector?.kind === 'name' ? selector.name : undefined
}

function isWildcard({ descendant, selectors }: Segment): boolean {
  return !descendant && selectors.length === 1 && selectors[0]?.kind === 'wildcard'
}

function isPresent(value: unknown): boolean {
  return value !== undefined
}

/**
 * The credential that a JWT's payload stands for: `vc`, with `iss`, `jti` and `sub` in the place of what they represent
 * (VCDM 1.1 §6.3.1).
 */
export function decodedVc(payload: JsonObject): JsonObject {
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

function sdJwtTypes({ vct }: JsonObject, typeOfVct: TypeOfVct): readonly string[] {
  return ['VerifiableCredential', ...(typeof vct === 'string' ? [typeOfVct(vct) ?? vct] : [])]
}

function without(object: JsonObject, names: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.has(name)))
}
