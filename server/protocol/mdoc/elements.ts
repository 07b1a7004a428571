import { CredentialError } from '../credential/verification.js'
import { isObject, type JsonObject } from '../json/json-object.js'
import { pointerKeys } from '../json/json-pointer.js'
import { SchemaPlace } from '../json-schema/applicable.js'
import { compileJsonSchema } from '../json-schema/compile.js'
import { linearPattern } from '../json-schema/linear-regexp.js'
import type { Work } from '../work.js'
import type { Encodable } from './cbor/values.js'
import { undecidedIn } from './decided.js'
import { type Claim, claimWithin, elementValueOf } from './values.js'

/** Maps claims of a subject to data elements of a mobile document. */
export interface MdocMapping {
  readonly doctype: string
  /** A JSON Pointer (RFC 6901) into the subject, by namespace and element identifier. */
  readonly namespaces: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** The data elements of a mobile document, by namespace and identifier, ready to be encoded. */
export type MdocElements = ReadonlyMap<string, ReadonlyMap<string, Encodable>>

/**
 * The data elements for a subject. Claims that the subject does not have are left out. Empty namespaces are left out
 * too.
 *
 * @param schema the JSON Schema of the subject, which declares dates and bytes
 * @param work the budget for reading the schema
 * @throws CredentialError that names the claim, for a value that cannot be encoded; also if the subject has none of the
 * mapped claims.
 */
export function mdocElementsOf(
  mapping: MdocMapping,
  subject: JsonObject,
  schema: JsonObject,
  work: Work,
): MdocElements {
  const place = placeOf(subject, schema, work)
  const namespaces = new Map<string, ReadonlyMap<string, Encodable>>()
  for (const [namespace, pointers] of Object.entries(mapping.namespaces)) {
    const elements = new Map<string, Encodable>()
    for (const [identifier, pointer] of Object.entries(pointers)) {
      const { value, claim } = claimAt(subject, pointer, place)
      if (value !== undefined) elements.set(identifier, elementValueOf(value, claim))
    }
    if (elements.size > 0) namespaces.set(namespace, elements)
  }
  if (namespaces.size === 0) throw new CredentialError('The subject has no claim that stands in the mdoc.')
  return namespaces
}

/** Keywords whose schemas apply to some values and not to others. */
const CHOICE = /"(?:anyOf|oneOf|if|contains|dependencies|dependentSchemas)"/

/**
 * The place of the subject in its schema. Only a schema with a choice needs a validator, which makes the choice by the
 * subject.
 */
const placeOf = (subject: JsonObject, schema: JsonObject, work: Work): SchemaPlace =>
  CHOICE.test(JSON.stringify(schema))
    ? compileJsonSchema(schema, work).placeOf(subject, work)
    : SchemaPlace.root(schema, work, linearPattern)

/**
 * Returns the faults of a mapping, by the JSON Pointer to each claim. There are two faults: the schema does not declare
 * the claim, or it does not decide the kind of a text in the claim. The pointer to the whole subject names no claim and
 * is a fault too. Pointers without a fault are left out.
 *
 * @param work the budget for the walk
 */
export function mappingFaults(
  schema: JsonObject,
  pointers: readonly string[],
  work: Work,
): ReadonlyMap<string, string> {
  const root = SchemaPlace.root(schema, work, linearPattern)
  const faults = new Map<string, string>()
  for (const pointer of new Set(pointers)) {
    const keys = pointerKeys(pointer) ?? []
    const place = keys.reduce(stepInto, root)
    const fault =
      keys.length === 0 || !place.isDeclared ? 'which the schema does not declare' : undecidedIn(place, pointer)
    if (fault !== undefined) faults.set(pointer, fault)
  }
  return faults
}

/** The place below a key. A key of digits is read as an index only if no declared member has this name. */
function stepInto(place: SchemaPlace, key: string): SchemaPlace {
  const member = place.member(key)
  return member.isDeclared || !INDEX.test(key) ? member : place.item(Number(key))
}

const INDEX = /^(?:0|[1-9]\d{0,5})$/

function claimAt(subject: JsonObject, pointer: string, root: SchemaPlace): { value: unknown; claim: Claim } {
  let value: unknown = subject
  let claim: Claim = { name: '', place: root }
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
