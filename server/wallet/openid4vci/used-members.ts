import { checkDepth } from '../../protocol/credential/verification.js'
import { SIGNATURE_ALGORITHMS } from '../../protocol/jose/algorithms.js'
import { isObject, type JsonObject } from '../../protocol/json/json-object.js'

/** Members of Credential Issuer Metadata that a hosted wallet uses, beside the configurations (OpenID4VCI 1.0 §12.2.4; drafts). */
const ISSUER_MEMBERS = ['credential_issuer', 'credential_endpoint', 'nonce_endpoint'] as const

/** Addresses that the wallet can do without. A member that is not an address is treated as absent. */
const FURTHER_ADDRESSES = [
  'authorization_server',
  'token_endpoint',
  'deferred_credential_endpoint',
  'notification_endpoint',
] as const

/** Members of a credential configuration that describe the credential and its key proofs (Appendix A; drafts). */
const CONFIGURATION_MEMBERS = ['id', 'format', 'vct', 'doctype', 'types', '@context'] as const

/** Members of Authorization Server Metadata that a hosted wallet needs with the right type (RFC 8414 §2, RFC 9126 §5). */
const SERVER_MEMBERS = ['issuer', 'token_endpoint'] as const

/** Addresses that only some flows need. */
const SERVER_ADDRESSES = [
  'authorization_endpoint',
  'pushed_authorization_request_endpoint',
  'challenge_endpoint',
] as const

/** A member of the wrong type is treated as absent. */
const SERVER_FLAGS = [
  'require_pushed_authorization_requests',
  'pre-authorized_grant_anonymous_access_supported',
  'authorization_response_iss_parameter_supported',
] as const

/** Lists of names. Unknown names are ignored. */
const SERVER_LISTS = [
  'token_endpoint_auth_methods_supported',
  'grant_types_supported',
  'code_challenge_methods_supported',
  'dpop_signing_alg_values_supported',
] as const

const PROOF_TYPES = ['jwt', 'attestation'] as const

const WHAT = 'Metadata of the issuer'

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : []

/** Returns those of the named members that the object has. A member with the value null counts as absent. */
function pick(object: JsonObject, names: readonly string[]): JsonObject {
  const entries = names.map((name) => [name, Object.hasOwn(object, name) ? object[name] : undefined] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined && value !== null))
}

/** The members of an object with usable values. */
const pickUseful = (object: JsonObject, names: readonly string[], isUseful: (value: unknown) => boolean): JsonObject =>
  Object.fromEntries(Object.entries(pick(object, names)).filter(([, value]) => isUseful(value)))

const isText = (value: unknown): boolean => typeof value === 'string'
const isFlag = (value: unknown): boolean => typeof value === 'boolean'
const isWebAddress = (value: unknown): boolean =>
  typeof value === 'string' && /^https?:/i.test(value) && URL.canParse(value)

/** One member, if it has a value. */
const member = (name: string, value: unknown): JsonObject => (value === undefined ? {} : { [name]: value })

/** If no algorithms are listed, all are accepted. */
function proofType(value: unknown): unknown {
  if (!isObject(value)) return value
  const { key_attestations_required: required } = value
  const resistance = (name: string) =>
    isObject(required) && Array.isArray(required[name]) ? texts(required[name]) : undefined
  const algorithms = texts(value.proof_signing_alg_values_supported)
  return {
    proof_signing_alg_values_supported: algorithms.length === 0 ? [...SIGNATURE_ALGORITHMS] : algorithms,
    ...member(
      'key_attestations_required',
      isObject(required)
        ? {
            ...member('key_storage', resistance('key_storage')),
            ...member('user_authentication', resistance('user_authentication')),
          }
        : (required ?? undefined),
    ),
  }
}

/** The proof types that the wallet supports. Drafts had a list of names, which requires nothing. */
function proofTypes(value: unknown): unknown {
  if (value === undefined || value === null || Array.isArray(value)) return undefined
  if (!isObject(value)) return value
  const known = Object.entries(pick(value, PROOF_TYPES))
    .filter(([name, type]) => name === 'jwt' || isObject(type))
    .map(([name, type]) => [name, proofType(type)] as const)
  return known.length === 0 ? undefined : Object.fromEntries(known)
}

/** A list without methods is treated as absent: the credential is bound to no key. */
function bindingMethods(value: unknown): unknown {
  if (!Array.isArray(value)) return value ?? undefined
  const methods = texts(value)
  return methods.length === 0 ? undefined : methods
}

function definition(value: unknown): unknown {
  return isObject(value) ? pick(value, ['type', '@context']) : (value ?? undefined)
}

/**
 * Members that every configuration may have (§12.2.4; drafts). For these members the wallet has rules of its own, or
 * ignores them.
 */
const JUDGED: ReadonlySet<string> = new Set([
  'display',
  'claims',
  'credential_metadata',
  'credential_definition',
  'credentialSubject',
  'cryptographic_binding_methods_supported',
  'order',
  'scope',
  'proof_types_supported',
  'credential_signing_alg_values_supported',
  'cryptographic_suites_supported',
])

/** Formats whose members the library checks. */
const CHECKED: ReadonlySet<unknown> = new Set([
  'dc+sd-jwt',
  'vc+sd-jwt',
  'jwt_vc_json',
  'jwt_vc_json-ld',
  'ldp_vc',
  'mso_mdoc',
])

/** The members that describe the credential: known members if the library checks the format, otherwise all members. */
const ownMembers = (configuration: JsonObject): JsonObject =>
  CHECKED.has(configuration.format)
    ? pick(configuration, CONFIGURATION_MEMBERS)
    : Object.fromEntries(Object.entries(configuration).filter(([name]) => !JUDGED.has(name)))

/** @param version members by which the library distinguishes versions of the protocol */
function configuration(value: unknown, version: JsonObject): unknown {
  if (!isObject(value)) return value
  return {
    ...ownMembers(value),
    ...pickUseful(value, ['scope'], isText),
    ...member('cryptographic_binding_methods_supported', bindingMethods(value.cryptographic_binding_methods_supported)),
    ...member('credential_definition', definition(value.credential_definition)),
    ...member('proof_types_supported', proofTypes(value.proof_types_supported)),
    ...version,
  }
}

const demandsAttestation = ({ proof_types_supported: types }: JsonObject): boolean =>
  isObject(types) && Object.values(types).some((type) => isObject(type) && type.key_attestations_required !== undefined)

const isOfFinal = ({
  format,
  credential_metadata: metadata,
  credential_signing_alg_values_supported: algs,
}: JsonObject) =>
  isObject(metadata) || (format === 'mso_mdoc' && Array.isArray(algs) && algs.some((alg) => typeof alg === 'number'))

const isOfLastDraft = (one: JsonObject): boolean =>
  one.format === 'dc+sd-jwt' || Array.isArray(one.claims) || demandsAttestation(one)

/**
 * The members that show the version, taken from all configurations together. The library recognizes the version by
 * these members.
 */
function versionOf(configurations: readonly unknown[]): JsonObject {
  const all = configurations.filter(isObject)
  if (all.some(isOfFinal)) return { credential_metadata: {} }
  return all.some(isOfLastDraft) ? { claims: [] } : {}
}

function configurations(document: JsonObject, offered: ReadonlySet<string>): JsonObject {
  const { credential_configurations_supported: byId, credentials_supported: listed } = document
  if (isObject(byId)) {
    const version = versionOf(Object.values(byId))
    const kept = Object.entries(byId).filter(([id]) => offered.has(id))
    const cut = Object.fromEntries(kept.map(([id, value]) => [id, configuration(value, version)]))
    return { credential_configurations_supported: cut }
  }
  if (!Array.isArray(listed)) return member('credential_configurations_supported', byId)
  const kept = listed.filter((one) => isObject(one) && typeof one.id === 'string' && offered.has(one.id))
  return { credentials_supported: kept.map((one) => configuration(one, {})) }
}

/** The encryption of answers. If it is optional and cannot be read, it is treated as absent. */
function responseEncryption(value: unknown): unknown {
  if (!isObject(value)) return undefined
  const required = value.encryption_required === true
  const [algs, encs] = [texts(value.alg_values_supported), texts(value.enc_values_supported)]
  if (!required && (algs.length === 0 || encs.length === 0)) return undefined
  return { alg_values_supported: algs, enc_values_supported: encs, encryption_required: required }
}

function authorizationServers(value: unknown): unknown {
  if (!Array.isArray(value)) return value ?? undefined
  const servers = value.filter(isWebAddress)
  return servers.length === 0 ? undefined : servers
}

/** The encryption of requests. If it is optional and cannot be read, it is treated as absent. */
function requestEncryption(value: unknown): unknown {
  if (!isObject(value) || value.encryption_required === true) return value ?? undefined
  const { jwks, enc_values_supported, zip_values_supported } = value
  const encs = texts(enc_values_supported)
  const keys = isObject(jwks) && Array.isArray(jwks.keys) ? jwks.keys.filter(isObject) : []
  if (encs.length === 0 || keys.length === 0) return undefined
  const zips = texts(zip_values_supported)
  return {
    jwks: { keys },
    enc_values_supported: encs,
    ...member('zip_values_supported', zips.length === 0 ? undefined : zips),
    encryption_required: false,
  }
}

function batch(value: unknown): unknown {
  const size = isObject(value) ? value.batch_size : undefined
  return typeof size === 'number' && size > 0 ? { batch_size: size } : undefined
}

/**
 * Keeps the Credential Issuer Metadata that a hosted wallet uses (OpenID4VCI 1.0 §12.2.4: unknown members are ignored). A member
 * that the wallet needs keeps its value, even of the wrong type: the library then reports the fault.
 *
 * @param offered ids of the offered configurations; all others are ignored
 * @throws CredentialError for a document that is nested deeper than 64 levels
 */
export function usedIssuerMembers(document: unknown, offered: ReadonlySet<string>): unknown {
  if (!isObject(document)) return document
  const used = {
    ...pick(document, ISSUER_MEMBERS),
    ...pickUseful(document, FURTHER_ADDRESSES, isWebAddress),
    ...member('authorization_servers', authorizationServers(document.authorization_servers)),
    ...member('credential_request_encryption', requestEncryption(document.credential_request_encryption)),
    ...member('credential_response_encryption', responseEncryption(document.credential_response_encryption)),
    ...member('batch_credential_issuance', batch(document.batch_credential_issuance)),
    ...configurations(document, offered),
  }
  checkDepth(used, WHAT)
  return used
}

/**
 * Keeps the Authorization Server Metadata that a hosted wallet uses (RFC 8414 §2: unknown members are ignored).
 *
 * @throws CredentialError for a document that is nested deeper than 64 levels
 */
export function usedServerMembers(document: unknown): unknown {
  if (!isObject(document)) return document
  const lists = Object.entries(pick(document, SERVER_LISTS)).map(([name, value]) => [name, texts(value)] as const)
  const used = {
    ...pick(document, SERVER_MEMBERS),
    ...pickUseful(document, SERVER_ADDRESSES, isWebAddress),
    ...pickUseful(document, SERVER_FLAGS, isFlag),
    ...Object.fromEntries(lists),
  }
  checkDepth(used, WHAT)
  return used
}
