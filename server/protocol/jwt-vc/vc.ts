import { type BitstringStatusListEntry, CredentialError, decodeJwt } from '../credential/verification.js'
import { isObject, type JsonObject } from '../json/json-object.js'
import { dateTime } from './validity.js'

/** A verifiable credential of the VCDM 1.1 as the API shows it: status entries in an array, and the JWT in `proof`. */
export interface VerifiableCredential {
  readonly '@context': readonly string[]
  readonly type: readonly string[]
  readonly id?: string
  readonly issuer: string | { readonly id: string; readonly name?: string }
  readonly issuanceDate: string
  readonly expirationDate?: string
  readonly credentialSubject: JsonObject | readonly JsonObject[]
  readonly credentialSchema?: JsonObject
  /** `statusListIndex` is a number in this type. */
  readonly credentialStatus?: readonly JsonObject[]
  readonly proof: JwtProof2020
}

/** A proof by JWT: `jws` is the whole compact credential. */
export interface JwtProof2020 {
  readonly type: 'JwtProof2020'
  readonly created: string
  readonly proofPurpose: 'assertionMethod'
  readonly verificationMethod: string
  readonly jws: string
}

/**
 * The API's credential object for a compact JWT VC, which is not verified here. The claims that represent members of
 * the credential (`iss`, `jti`, `sub`, `nbf`, `exp`) supply the members that the `vc` claim omits (VCDM 1.1 §6.3.1).
 *
 * @throws CredentialError if the JWT is no credential, or names no issuer or date of issuance.
 */
export function vcObjectOf(compact: string): VerifiableCredential {
  const { header, payload } = decodeJwt(compact, 'Credential')
  const vc = vcClaimOf(payload)
  const issuanceDate = vc.issuanceDate ?? dateOf(payload.nbf)
  const issuer = issuerOf(vc, payload.iss)
  if (typeof issuanceDate !== 'string' || issuer === undefined) {
    throw new CredentialError('Credential has no issuer or no issuanceDate.')
  }
  const id = vc.id ?? payload.jti
  const expirationDate = vc.expirationDate ?? dateOf(payload.exp)
  return {
    ...vc,
    '@context': texts(vc['@context']),
    type: texts(vc.type),
    ...(typeof id === 'string' ? { id } : {}),
    issuer,
    issuanceDate,
    ...(typeof expirationDate === 'string' ? { expirationDate } : {}),
    credentialSubject: subjectOf(vc, payload.sub),
    ...(vc.credentialStatus === undefined ? {} : { credentialStatus: statusEntriesOf(vc).map(withNumericIndex) }),
    proof: {
      type: 'JwtProof2020',
      created: issuanceDate,
      proofPurpose: 'assertionMethod',
      verificationMethod: typeof header.kid === 'string' ? header.kid : (issuerIdOf(vc) ?? String(payload.iss)),
      jws: compact,
    },
  }
}

/**
 * The `vc` claim of a JWT. VCDM 1.1 §6.3.1: the claim holds the credential. Other JWTs that the same key may sign have
 * no `vc` claim: request objects, key bindings, VCDM 2.0 status lists. A status list in a `vc` claim is recognized by
 * its type.
 */
export function vcClaimOf(payload: JsonObject): JsonObject {
  const { vc } = payload
  if (!isObject(vc)) throw new CredentialError('Credential has no vc object.')
  const types = texts(vc.type)
  if (!types.includes('VerifiableCredential'))
    throw new CredentialError('Credential is not of type VerifiableCredential.')
  if (types.includes('BitstringStatusListCredential') || types.includes('StatusList2021Credential')) {
    throw new CredentialError('Credential is a status list.')
  }
  return vc
}

/** The identifier of the issuer, which is a string or an object with `id` (VCDM 1.1 §4.5). */
export function issuerIdOf(credential: JsonObject): string | undefined {
  const { issuer } = credential
  const id = isObject(issuer) ? issuer.id : issuer
  return typeof id === 'string' ? id : undefined
}

/** The subjects of a credential, which are one object or an array of objects (VCDM 1.1 §4.4). */
export function subjectsOf(credential: JsonObject): readonly JsonObject[] {
  const subjects = [credential.credentialSubject].flat()
  if (subjects.length === 0 || !subjects.every(isObject))
    throw new CredentialError('Credential has no credentialSubject.')
  return subjects
}

/** The status entries of a credential, which are one object or an array of objects. */
export function statusEntriesOf(credential: JsonObject): readonly JsonObject[] {
  const entries = credential.credentialStatus === undefined ? [] : [credential.credentialStatus].flat()
  if (!entries.every(isObject)) throw new CredentialError('Credential member credentialStatus is not an object.')
  return entries
}

/** Reads a status entry of a signed credential. Its index is a string in base 10 (Bitstring Status List v1.0 §2.1). */
export function readBitstringEntry(entry: JsonObject): BitstringStatusListEntry {
  if (entry.type !== 'BitstringStatusListEntry') {
    throw new CredentialError('Credential status is of a type other than BitstringStatusListEntry.')
  }
  const { id, statusPurpose, statusListCredential, statusSize } = entry
  const { statusListIndex } = withNumericIndex(entry)
  if (typeof statusPurpose !== 'string' || typeof statusListCredential !== 'string') {
    throw new CredentialError('Credential status has no statusPurpose or no statusListCredential.')
  }
  if (typeof statusListIndex !== 'number' || !Number.isSafeInteger(statusListIndex) || statusListIndex < 0) {
    throw new CredentialError('Credential status has no statusListIndex.')
  }
  if (
    statusSize !== undefined &&
    !(Number.isInteger(statusSize) && Number(statusSize) > 0 && Number(statusSize) <= 32)
  ) {
    throw new CredentialError('Credential status has a statusSize that is not supported.')
  }
  return {
    ...(typeof id === 'string' ? { id } : {}),
    type: 'BitstringStatusListEntry',
    statusPurpose,
    statusListIndex,
    statusListCredential,
    ...(typeof statusSize === 'number' ? { statusSize } : {}),
  }
}

/** The strings in a value: the value itself, or the strings of an array. Empty for any other value. */
export function texts(value: unknown): readonly string[] {
  return [value].flat().filter((item) => typeof item === 'string')
}

function withNumericIndex(entry: JsonObject): JsonObject {
  const index = entry.statusListIndex
  return typeof index === 'string' && /^\d{1,15}$/.test(index) ? { ...entry, statusListIndex: Number(index) } : entry
}

function issuerOf(vc: JsonObject, iss: unknown): VerifiableCredential['issuer'] | undefined {
  const { issuer } = vc
  if (isObject(issuer) && typeof issuer.id === 'string') return { ...issuer, id: issuer.id }
  if (typeof issuer === 'string') return issuer
  return typeof iss === 'string' ? iss : undefined
}

function subjectOf(vc: JsonObject, sub: unknown): VerifiableCredential['credentialSubject'] {
  const [subject, ...others] = subjectsOf(vc)
  if (subject === undefined || others.length > 0) return subjectsOf(vc)
  return subject.id === undefined && typeof sub === 'string' ? { id: sub, ...subject } : subject
}

function dateOf(numericDate: unknown): string | undefined {
  return typeof numericDate === 'number' && Number.isFinite(numericDate) ? dateTime(numericDate) : undefined
}
