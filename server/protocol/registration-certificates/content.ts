import { isObject, type JsonObject } from '../json/json-object.js'
import type { ClaimsPath } from '../openid4vp/dcql/claims-query.js'
import { malformed } from './fault.js'
import {
  MAX_CLAIMS_OF_CREDENTIAL,
  MAX_CREDENTIALS,
  MAX_ENTITLEMENTS,
  MAX_LANGUAGES,
  MAX_NAME,
  MAX_PATH_LENGTH,
} from './limits.js'
import {
  arrayAt,
  informationOf,
  type LocalizedText,
  localizedAt,
  objectAt,
  optionalTextAt,
  optionalTimeAt,
  textAt,
  timeAt,
  webAddressOf,
} from './members.js'

/** The entitlement of relying parties that request credentials (TS 119 475 annex A.2). */
export const SERVICE_PROVIDER = 'https://uri.etsi.org/19475/Entitlement/Service_Provider'

/** A credential type that a relying party may request, or that an issuer provides (TS 119 475 tables 8 and 9). */
export interface RegisteredCredential {
  readonly format: string
  /** The type, as in `meta` of a credential query (OpenID4VP 1.0 Appendix B). */
  readonly meta: JsonObject
  /** The claims that may be requested; undefined if the certificate declares none. */
  readonly claims?: readonly ClaimsPath[]
}

/** The relying party that is registered (TS 119 475 table 7). */
export interface RegisteredSubject {
  /** `sub`: the semantic identifier of ETSI EN 319 412-1, such as `LEIXG-529900T8BM49AURSDO55`. */
  readonly identifier: string
  /** `name`: the trade name. */
  readonly name: string
  readonly legalName?: string
  readonly givenName?: string
  readonly familyName?: string
  readonly country?: string
}

/** The party that sends the requests for the registered party (TS 119 475 table 10). */
export interface Intermediary {
  /** As in the access certificate of the intermediary. */
  readonly identifier: string
  readonly name?: string
}

/** The authority that supervises the data protection of the subject. */
export interface SupervisoryAuthority {
  readonly uri?: string
  readonly email?: string
  readonly phone?: string
}

/** The content of a registration certificate (TS 119 475 §5.2.4). One certificate is for one intended use. */
export interface RegistrationContent {
  readonly subject: RegisteredSubject
  /** Present if an intermediary sends the requests. */
  readonly intermediary?: Intermediary
  readonly entitlements: readonly string[]
  /** `intended_use_id`: the name of the intended use in the register. */
  readonly intendedUse?: string
  /** Why the credentials are requested, at most once for each language. Empty for issuers. */
  readonly purposes: readonly LocalizedText[]
  /** The credentials that may be requested. */
  readonly credentials: readonly RegisteredCredential[]
  /** The credentials that an issuer provides. */
  readonly providesAttestations: readonly RegisteredCredential[]
  readonly services: readonly LocalizedText[]
  readonly privacyPolicy?: string
  readonly infoUri?: string
  /** A web address or a mail address. */
  readonly support?: string
  readonly registryUri?: string
  readonly supervisoryAuthority?: SupervisoryAuthority
  readonly publicBody?: boolean
  readonly policyIds: readonly string[]
  readonly certificatePolicy?: string
  readonly issuedAt: Date
  /** `nbf`, which the standard does not have. */
  readonly notBefore?: Date
  /** Absent: the certificate ends with its registration only. */
  readonly expiresAt?: Date
  /** The entry in a Token Status List (TS 119 475 §6.2.6). */
  readonly status: { readonly uri: string; readonly idx: number }
}

/**
 * Reads the claims (TS 119 475 §5.2.4, tables 7 to 10). Claims that decide are required and strict. Claims that are only
 * information are left out if they have another form. The claims are not verified here.
 *
 * @throws RegistrationCertificateError `malformed`, which names the claim
 */
export function readContent(claims: JsonObject): RegistrationContent {
  return {
    subject: subjectOf(claims),
    ...present('intermediary', intermediaryOf(claims)),
    entitlements: entitlementsOf(claims.entitlements),
    ...present('intendedUse', optionalTextAt(claims.intended_use_id, 'intended_use_id', MAX_NAME)),
    purposes: claims.purpose === undefined ? [] : localizedAt(claims.purpose, 'purpose'),
    credentials: credentialsAt(claims.credentials, 'credentials'),
    providesAttestations: providedOf(claims.provides_attestations),
    services: servicesOf(claims.srv_description),
    ...informationIn(claims),
    policyIds: textsOf(claims.policy_id),
    issuedAt: timeAt(claims.iat, 'iat'),
    ...present('notBefore', optionalTimeAt(claims.nbf, 'nbf')),
    ...present('expiresAt', optionalTimeAt(claims.exp, 'exp')),
    status: statusOf(claims.status),
  }
}

const present = <Name extends string, Value>(name: Name, value: Value | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { readonly [K in Name]?: Value }

function subjectOf({ sub, name, sub_ln, sub_gn, sub_fn, country }: JsonObject): RegisteredSubject {
  return {
    identifier: textAt(sub, 'sub', MAX_NAME),
    name: textAt(name, 'name', MAX_NAME),
    ...present('legalName', informationOf(sub_ln)),
    ...present('givenName', informationOf(sub_gn)),
    ...present('familyName', informationOf(sub_fn)),
    ...present('country', informationOf(country)),
  }
}

/**
 * Table 10 calls the name of the intermediary `sname`; the example of annex C calls it `name`. GEN-5.2.4-09 wants the
 * same identifier in `act.sub`.
 */
function intermediaryOf({ intermediary, act }: JsonObject): Intermediary | undefined {
  const actor = act === undefined ? undefined : textAt(objectAt(act, 'act').sub, 'act.sub', MAX_NAME)
  if (intermediary === undefined) return actor === undefined ? undefined : { identifier: actor }
  const { sub, sname, name } = objectAt(intermediary, 'intermediary')
  const identifier = textAt(sub, 'intermediary.sub', MAX_NAME)
  if (actor !== undefined && actor !== identifier) throw malformed('act.sub', 'must be the same as intermediary.sub')
  return { identifier, ...present('name', informationOf(sname) ?? informationOf(name)) }
}

/** GEN-5.2.4-03: there is at least one. */
function entitlementsOf(value: unknown): readonly string[] {
  const entitlements = arrayAt(value, 'entitlements', MAX_ENTITLEMENTS)
  if (entitlements.length === 0) throw malformed('entitlements', 'must not be empty')
  return entitlements.map((entry, index) => textAt(entry, `entitlements[${index}]`))
}

function credentialsAt(value: unknown, place: string): readonly RegisteredCredential[] {
  if (value === undefined) return []
  return arrayAt(value, place, MAX_CREDENTIALS).map((entry, index) => credentialAt(entry, `${place}[${index}]`))
}

/** Table 8: an issuer may name credentials by the address of a schema instead. These are not read. */
const providedOf = (value: unknown): readonly RegisteredCredential[] =>
  Array.isArray(value) && value.every((entry) => typeof entry === 'string')
    ? []
    : credentialsAt(value, 'provides_attestations')

function credentialAt(value: unknown, place: string): RegisteredCredential {
  const { format, meta, claim, claims } = objectAt(value, place)
  const type = objectAt(meta, `${place}.meta`)
  if (Object.keys(type).length === 0) throw malformed(`${place}.meta`, 'must not be empty')
  // The standard says `claim`. Other programs write `claims`, like DCQL. If both are there, `claim` counts.
  const [paths, name] = claim === undefined ? [claims, 'claims'] : [claim, 'claim']
  return {
    format: textAt(format, `${place}.format`, MAX_NAME),
    meta: type,
    ...(paths === undefined ? {} : { claims: pathsAt(paths, `${place}.${name}`) }),
  }
}

const pathsAt = (value: unknown, place: string): readonly ClaimsPath[] =>
  arrayAt(value, place, MAX_CLAIMS_OF_CREDENTIAL).map((entry, index) => {
    const at = `${place}[${index}]`
    return pathAt(objectAt(entry, at).path, `${at}.path`)
  })

/** A claims path pointer (OpenID4VP 1.0 §7). An empty path would cover each claim, so it is refused. */
function pathAt(value: unknown, place: string): ClaimsPath {
  const path = arrayAt(value, place, MAX_PATH_LENGTH)
  if (path.length === 0) throw malformed(place, 'must not be empty')
  if (path.every(isComponent)) return [...path]
  throw malformed(place, 'must hold only texts, non-negative integers and null')
}

const isComponent = (value: unknown): value is string | number | null =>
  typeof value === 'string' || value === null || (Number.isSafeInteger(value) && Number(value) >= 0)

/** Table 7 has an array of texts for each service; the example of annex C has the texts of one service only. */
function servicesOf(value: unknown): readonly LocalizedText[] {
  if (value === undefined) return []
  const texts = arrayAt(value, 'srv_description', MAX_LANGUAGES).flat(1)
  return localizedAt(texts, 'srv_description')
}

function informationIn(claims: JsonObject) {
  const { privacy_policy, info_uri, support_uri, registry_uri, certificate_policy, public_body } = claims
  return {
    ...present('privacyPolicy', webAddressOf(privacy_policy)),
    ...present('infoUri', webAddressOf(info_uri)),
    ...present('support', informationOf(support_uri)),
    ...present('registryUri', webAddressOf(registry_uri)),
    ...present('certificatePolicy', webAddressOf(certificate_policy)),
    ...(typeof public_body === 'boolean' ? { publicBody: public_body } : {}),
    ...present('supervisoryAuthority', authorityOf(claims.supervisory_authority)),
  }
}

function authorityOf(value: unknown): SupervisoryAuthority | undefined {
  if (!isObject(value)) return undefined
  return {
    ...present('uri', webAddressOf(value.uri)),
    ...present('email', informationOf(value.email)),
    ...present('phone', informationOf(value.phone)),
  }
}

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.slice(0, MAX_ENTITLEMENTS).filter((entry) => informationOf(entry) !== undefined) : []

/** REV-6.2.6.2-03: each certificate has an entry in a status list. */
function statusOf(value: unknown): RegistrationContent['status'] {
  const list = objectAt(objectAt(value, 'status').status_list, 'status.status_list')
  const uri = webAddressOf(list.uri)
  if (uri === undefined) throw malformed('status.status_list.uri', 'must be a web address')
  const { idx } = list
  if (!Number.isSafeInteger(idx) || Number(idx) < 0)
    throw malformed('status.status_list.idx', 'must be a non-negative integer')
  return { uri, idx: Number(idx) }
}
