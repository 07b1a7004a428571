import { CredentialError } from '../credential/verification.js'
import { encodeBase64url } from '../jose/base64url.js'
import { isObject, type JsonObject } from '../json/json-object.js'
import type { SchemaPlace } from '../json-schema/applicable.js'
import {
  type CborValue,
  type Encodable,
  isBytes,
  isMap,
  TAG_AS_BASE16,
  TAG_AS_BASE64,
  TAG_DATE_TIME,
  TAG_FULL_DATE,
  TAG_NEGATIVE_BIGNUM,
  Tagged,
} from './cbor/values.js'

const FULL_DATE = /^\d{4}-\d{2}-\d{2}$/
const DATE_TIME = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/

const LONE_SURROGATE = /\p{Surrogate}/u

/** A claim of a subject: its name, and its place with the schemas that apply there. */
export interface Claim {
  /** Name of the claim in error messages. */
  readonly name: string
  readonly place: SchemaPlace
}

/** Returns a claim that is inside a claim, by its name or index. */
export const claimWithin = ({ name, place }: Claim, key: string | number): Claim => ({
  name: name === '' ? String(key) : `${name}.${key}`,
  place: typeof key === 'string' ? place.member(key) : place.item(key),
})

/** Kind of a text that is not encoded as text in a mobile document. */
export type TextKind = 'date' | 'date-time' | keyof typeof ENCODINGS

/**
 * Supported encodings of bytes as text (RFC 4648 §4, §5, §8), each with the form that a text in this encoding must
 * have.
 */
const ENCODINGS = {
  base64: /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
  base64url: /^(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-]{2}(?:==)?|[A-Za-z0-9_-]{3}=?)?$/,
  base16: /^(?:[\dA-Fa-f]{2})*$/,
} as const

const NODE_ENCODINGS = { base64: 'base64', base64url: 'base64url', base16: 'hex' } as const

const isEncoding = (name: string): name is keyof typeof ENCODINGS => Object.hasOwn(ENCODINGS, name)

/** A schema's `contentEncoding`, whose case does not matter (RFC 2045 §6.1). */
export const encodingOf = ({ contentEncoding }: JsonObject): string | undefined =>
  typeof contentEncoding === 'string' ? contentEncoding.toLowerCase() : undefined

/** The kind of text that one schema declares. OpenAPI 3.0 has the format `byte` for bytes in base64. */
export function textKindOf(schema: JsonObject): TextKind | undefined {
  if (schema.format === 'date' || schema.format === 'date-time') return schema.format
  if (schema.format === 'byte') return 'base64'
  const encoding = encodingOf(schema)
  return encoding !== undefined && isEncoding(encoding) ? encoding : undefined
}

/** The kinds of text that the schemas of a place declare, each once; empty if texts are encoded as text. */
export const textKindsIn = ({ schemas }: SchemaPlace): readonly TextKind[] => [
  ...new Set(schemas.flatMap(({ schema }) => textKindOf(schema) ?? [])),
]

/**
 * The value of a data element for a claim. A text with JSON Schema `format: date` becomes a full-date (tag 1004). A
 * text with `date-time` becomes a tdate (tag 0) of the same time, written as by `tdateOf`. The claim may have any
 * offset and fraction. A text with `contentEncoding` base64, base64url or base16, or with `format: byte`, becomes a
 * byte string. Every other value is unchanged.
 *
 * @throws CredentialError that names the claim, for a value that cannot be encoded.
 */
export function elementValueOf(value: unknown, claim: Claim): Encodable {
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (typeof value === 'string') return textValueOf(value, claim)
  if (Array.isArray(value)) return value.map((element, index) => elementValueOf(element, claimWithin(claim, index)))
  if (!isObject(value)) throw refusal(claim, 'is of no type that CBOR has')
  return new Map(
    Object.entries(value).map(([key, member]) => {
      const inner = claimWithin(claim, key)
      requireText(key, inner)
      return [key, elementValueOf(member, inner)]
    }),
  )
}

function textValueOf(text: string, claim: Claim): Encodable {
  requireText(text, claim)
  const [kind, ...others] = textKindsIn(claim.place)
  if (others.length > 0) throw refusal(claim, 'is of several kinds by its schema')
  if (kind === undefined) return text
  if (kind === 'date') return fullDateOf(text, claim)
  if (kind === 'date-time') return momentOf(text, claim)
  if (!ENCODINGS[kind].test(text)) throw refusal(claim, `is not ${kind}`)
  return Buffer.from(text, NODE_ENCODINGS[kind])
}

function fullDateOf(text: string, claim: Claim): Tagged<string> {
  if (!isFullDate(text)) throw refusal(claim, 'is not a date')
  return new Tagged(TAG_FULL_DATE, text)
}

function momentOf(text: string, claim: Claim): Tagged<string> {
  const [, date] = DATE_TIME.exec(text) ?? []
  const time = Date.parse(text)
  if (date === undefined || !isFullDate(date) || Number.isNaN(time)) throw refusal(claim, 'is not a date-time')
  // Converted to UTC, the time may be before the year 0000 or after 9999. RFC 3339 cannot express such a year.
  if (!isFullDate(new Date(time).toISOString().split('T')[0] ?? '')) throw refusal(claim, 'is not a date-time')
  return tdateOf(time)
}

/** Whether the text is an existing day. `Date` itself reads the 30th of February as the 2nd of March. */
function isFullDate(text: string): boolean {
  const time = FULL_DATE.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

/**
 * A time as mobile documents express it: a tdate in UTC, with `Z`, without fractions of a second (ISO/IEC 18013-5
 * §7.2.1, §9.1.2.4).
 *
 * @param milliseconds since the epoch, between the years 0000 and 9999
 */
export const tdateOf = (milliseconds: number) =>
  new Tagged(TAG_DATE_TIME, `${new Date(milliseconds).toISOString().slice(0, 19)}Z`)

function requireText(text: string, claim: Claim): void {
  if (LONE_SURROGATE.test(text)) throw refusal(claim, 'holds a lone surrogate')
}

const refusal = ({ name }: Claim, verdict: string) =>
  new CredentialError(`Claim ${name} cannot stand in an mdoc: it ${verdict}.`)

/**
 * A data element as JSON (RFC 8949 §6.1). Byte strings become base64url, or text in the encoding that their tag names.
 * Other tagged items become their content, so that dates are text. Values that JSON lacks, such as infinity, become
 * null. Numbers beyond 2^53 lose precision.
 *
 * @throws CredentialError if two keys of a map become one name.
 */
export function jsonOf(value: CborValue): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value !== 'object' || value === null) return value ?? null
  if (isBytes(value)) return encodeBase64url(value)
  if (value instanceof Tagged) return isBytes(value.value) ? bytesAsText(value.tag, value.value) : jsonOf(value.value)
  if (!isMap(value)) return value.map(jsonOf)
  const members = new Map([...value].map(([key, member]) => [String(key), jsonOf(member)]))
  if (members.size < value.size) throw new CredentialError('Credential has two keys of one name in a map.')
  return Object.fromEntries(members)
}

function bytesAsText(tag: number, bytes: Uint8Array): string {
  if (tag === TAG_AS_BASE64) return Buffer.from(bytes).toString('base64')
  if (tag === TAG_AS_BASE16) return Buffer.from(bytes).toString('hex').toUpperCase()
  return tag === TAG_NEGATIVE_BIGNUM ? `~${encodeBase64url(bytes)}` : encodeBase64url(bytes)
}
