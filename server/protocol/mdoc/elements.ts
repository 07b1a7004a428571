import { CredentialError } from '../credential/verification.js'
import { isObject, type JsonObject } from '../json/json-object.js'
import { pointerKeys } from '../json/json-pointer.js'
import type { Encodable } from './cbor/values.js'
import { type Claim, claimWithin, elementValueOf, schemasInPlace } from './values.js'

/** Which claims of a subject become which data elements of a mobile document. */
export interface MdocMapping {
  readonly doctype: string
  /** By namespace and element identifier: a JSON Pointer (RFC 6901) into the subject. */
  readonly namespaces: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** The data elements of a mobile document, by namespace and identifier, ready to be encoded. */
export type MdocElements = ReadonlyMap<string, ReadonlyMap<string, Encodable>>

/**
 * The data elements for a subject. Claims that it does not have are left out, and namespaces without any.
 *
 * @param schema the JSON Schema of the subject, which says what is a date or bytes
 * @throws CredentialError that names the claim, for a value that cannot be encoded; and where nothing is left.
 */
export function mdocElementsOf(mapping: MdocMapping, subject: JsonObject, schema: JsonObject): MdocElements {
  const namespaces = new Map<string, ReadonlyMap<string, Encodable>>()
  for (const [namespace, pointers] of Object.entries(mapping.namespaces)) {
    const elements = new Map<string, Encodable>()
    for (const [identifier, pointer] of Object.entries(pointers)) {
      const { value, claim } = claimAt(subject, pointer, schema)
      if (value !== undefined) elements.set(identifier, elementValueOf(value, claim))
    }
    if (elements.size > 0) namespaces.set(namespace, elements)
  }
  if (namespaces.size === 0) throw new CredentialError('The subject has no claim that stands in the mdoc.')
  return namespaces
}

/**
 * Whether a schema declares the claim that a JSON Pointer names: by `properties`, `items` or `prefixItems`, also by way of `$ref`
 * and `allOf`. The pointer of the whole subject is no claim.
 */
export function declaresClaim(schema: JsonObject, pointer: string): boolean {
  const keys = pointerKeys(pointer)
  if (keys === undefined || keys.length === 0) return false
  return keys.reduce((claim, key) => stepInto(claim, key), rootClaim(schema)).schemas.length > 0
}

const rootClaim = (schema: JsonObject): Claim => ({ name: '', schemas: schemasInPlace([schema], schema), root: schema })

/** Names of members first; an index is one where no member has such a name. */
function stepInto(claim: Claim, key: string): Claim {
  const member = claimWithin(claim, key)
  return member.schemas.length > 0 || !INDEX.test(key) ? member : claimWithin(claim, Number(key))
}

const INDEX = /^(?:0|[1-9]\d{0,5})$/

function claimAt(subject: JsonObject, pointer: string, schema: JsonObject): { value: unknown; claim: Claim } {
  let value: unknown = subject
  let claim = rootClaim(schema)
  for (const key of pointerKeys(pointer) ?? []) {
    if (Array.isArray(value) && INDEX.test(key)) {
      value = value[Number(key)]
      claim = claimWithin(claim, Number(key))
    } else {
      value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
      claim = claimWithin(claim, key)
    }
  }
  return { value, claim }
}
