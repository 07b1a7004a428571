import { CredentialError, type TokenStatusReference } from '../credential/verification.js'
import type { Jwk } from '../jose/jws.js'
import { type DecodeOptions, decodeCbor } from './cbor/decode.js'
import {
  type CborMap,
  type CborValue,
  isArray,
  isBytes,
  isMap,
  isUnsigned,
  TAG_DATE_TIME,
  TAG_ENCODED_CBOR,
  Tagged,
} from './cbor/values.js'
import { jwkOfCoseKey } from './cose/key.js'

/** The digest algorithms of ISO/IEC 18013-5 §9.1.2.5, with their names in node:crypto. */
const DIGEST_ALGORITHMS: ReadonlyMap<CborValue, DigestAlgorithm> = new Map([
  ['SHA-256', 'sha256'],
  ['SHA-384', 'sha384'],
  ['SHA-512', 'sha512'],
])
export type DigestAlgorithm = 'sha256' | 'sha384' | 'sha512'

const TDATE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/

export interface ValidityInfo {
  readonly signed: Date
  readonly validFrom: Date
  readonly validUntil: Date
}

/** The object that the issuer signs (ISO/IEC 18013-5 §9.1.2.4). */
export interface MobileSecurityObject {
  readonly docType: string
  readonly digestAlgorithm: DigestAlgorithm
  /** Digests by namespace and digest id. */
  readonly valueDigests: ReadonlyMap<string, CborMap>
  readonly deviceKey: Jwk
  /** Whether the device may sign an element itself (`KeyAuthorizations`). */
  readonly authorizes: (namespace: string, identifier: string) => boolean
  readonly validityInfo: ValidityInfo
  readonly status: TokenStatusReference | undefined
}

const refusal = (verdict: string) => new CredentialError(`Credential has a mobile security object ${verdict}.`)

/** Reads MobileSecurityObjectBytes, the payload of `issuerAuth`. Throws CredentialError. */
export function readMobileSecurityObject(payload: Uint8Array, options: DecodeOptions): MobileSecurityObject {
  const object = embeddedMap(decodeCbor(payload, options), options)
  if (object === undefined) throw refusal('that is no encoded map')
  if (object.get('version') !== '1.0') throw refusal('of an unknown version')
  const digestAlgorithm = DIGEST_ALGORITHMS.get(object.get('digestAlgorithm'))
  if (digestAlgorithm === undefined) throw refusal('with an unknown digest algorithm')
  const docType = object.get('docType')
  if (typeof docType !== 'string') throw refusal('without docType')
  const keyInfo = object.get('deviceKeyInfo')
  if (!isMap(keyInfo)) throw refusal('without deviceKeyInfo')
  return {
    docType,
    digestAlgorithm,
    valueDigests: valueDigestsOf(object.get('valueDigests')),
    deviceKey: jwkOfCoseKey(keyInfo.get('deviceKey')),
    authorizes: authorizationsOf(keyInfo.get('keyAuthorizations')),
    validityInfo: validityInfoOf(object.get('validityInfo')),
    status: object.has('status') ? statusOf(object.get('status')) : undefined,
  }
}

/** The map in a byte string under tag 24; undefined if there is none. */
export function embeddedMap(value: CborValue, options: DecodeOptions): CborMap | undefined {
  if (!(value instanceof Tagged) || value.tag !== TAG_ENCODED_CBOR || !isBytes(value.value)) return undefined
  const decoded = decodeCbor(value.value, options)
  return isMap(decoded) ? decoded : undefined
}

function valueDigestsOf(value: CborValue): ReadonlyMap<string, CborMap> {
  const namespaces = isMap(value) ? [...value] : []
  if (namespaces.length === 0) throw refusal('without valueDigests')
  return new Map(
    namespaces.map(([namespace, digests]) => {
      if (typeof namespace !== 'string' || !isMap(digests)) throw refusal('with malformed valueDigests')
      return [namespace, digests]
    }),
  )
}

/** ISO/IEC 18013-5 §9.1.2.4: the issuer authorizes whole namespaces, or single elements of other namespaces. */
function authorizationsOf(value: CborValue): MobileSecurityObject['authorizes'] {
  if (value === undefined) return () => false
  if (!isMap(value)) throw refusal('with malformed keyAuthorizations')
  const nameSpaces = value.get('nameSpaces') ?? []
  const dataElements = value.get('dataElements') ?? new Map()
  if (!isArray(nameSpaces) || !isMap(dataElements)) throw refusal('with malformed keyAuthorizations')
  return (namespace, identifier) => {
    const identifiers = dataElements.get(namespace)
    return nameSpaces.includes(namespace) || (isArray(identifiers) && identifiers.includes(identifier))
  }
}

function validityInfoOf(value: CborValue): ValidityInfo {
  if (!isMap(value)) throw refusal('without validityInfo')
  const [signed, validFrom, validUntil] = ['signed', 'validFrom', 'validUntil'].map((name) => {
    const date = value.get(name)
    const text = date instanceof Tagged && date.tag === TAG_DATE_TIME ? date.value : undefined
    const time = typeof text === 'string' && TDATE.test(text) ? Date.parse(text) : Number.NaN
    if (Number.isNaN(time)) throw refusal(`whose validityInfo has no ${name}`)
    return new Date(time)
  }) as [Date, Date, Date]
  return { signed, validFrom, validUntil }
}

/** A status of an unknown kind cannot be checked, so the document is not accepted as valid. */
function statusOf(status: CborValue): TokenStatusReference {
  const list = isMap(status) ? status.get('status_list') : undefined
  const [idx, uri] = isMap(list) ? [list.get('idx'), list.get('uri')] : []
  if (!isUnsigned(idx) || typeof uri !== 'string') {
    throw new CredentialError('Credential status holds no status_list with uri and idx.')
  }
  return { idx, uri }
}
