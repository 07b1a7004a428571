import { z } from 'zod'
import { isObject } from '../json/json-object.js'
import { PRE_AUTHORIZED_CODE_GRANT } from './requests.js'

/** §4.1.1 */
const MAX_DESCRIPTION = 300

const text = (schema = z.string({ error: 'must be a string' })) => schema.min(1, 'must not be empty')
const object = <Shape extends z.ZodRawShape>(shape: Shape) => z.looseObject(shape, { error: 'must be an object' })

/** §12.2.1: without query and fragment. */
const zIssuer = (allowHttp: boolean) =>
  text().refine(
    (value) => (/^https:\/\//i.test(value) || (allowHttp && /^http:\/\//i.test(value))) && isIdentifier(value),
    'must be an https address without query and fragment',
  )

function isIdentifier(value: string): boolean {
  if (!URL.canParse(value) || /[?#]/.test(value)) return false
  const { username, password } = new URL(value)
  return username === '' && password === ''
}

const zTxCode = object({
  input_mode: z.enum(['numeric', 'text'], { error: 'must be numeric or text' }).optional(),
  length: z.int({ error: 'must be an integer' }).min(1, 'must be at least 1').optional(),
  description: z
    .string({ error: 'must be a string' })
    .max(MAX_DESCRIPTION, `must not exceed ${MAX_DESCRIPTION} characters`)
    .optional(),
})

const zGrants = object({
  authorization_code: object({ issuer_state: text().optional(), authorization_server: text().optional() }).optional(),
  [PRE_AUTHORIZED_CODE_GRANT]: object({
    'pre-authorized_code': text(),
    tx_code: zTxCode.optional(),
    authorization_server: text().optional(),
  }).optional(),
})

const zIds = z
  .array(text(), { error: 'must be an array' })
  .min(1, 'must not be empty')
  .refine((ids) => new Set(ids).size === ids.length, 'must not name a configuration twice')

/** Whether an offer has members of drafts before 13, in which configurations had no ids. */
const isOfDraft = (offer: Readonly<Record<string, unknown>>) =>
  offer.credential_configuration_ids === undefined && Array.isArray(offer.credentials)

/** The members of an offer whose values are objects with further members (§4.1.1). */
const HOLDERS: ReadonlySet<string> = new Set(['grants', 'authorization_code', PRE_AUTHORIZED_CODE_GRANT, 'tx_code'])

/** An offer without the optional members that are null: serialisers write null for absent members. */
export function withoutNulls(offer: unknown): unknown {
  if (!isObject(offer)) return offer
  const there = Object.entries(offer).filter(([, value]) => value !== null)
  return Object.fromEntries(there.map(([name, value]) => [name, HOLDERS.has(name) ? withoutNulls(value) : value]))
}

/**
 * The faults of a Credential Offer by the rules of OpenID4VCI 1.0 §4.1.1, each fault beginning with the member's name.
 * Unknown members are ignored. In an offer of a draft, only the issuer is checked.
 *
 * @param allowHttp whether the issuer may have an http address
 */
export function offerFaults(offer: unknown, allowHttp: boolean): readonly string[] {
  if (!isObject(offer)) return ['credential_offer must be a JSON object']
  const issuer = { credential_issuer: zIssuer(allowHttp) }
  const schema = isOfDraft(offer)
    ? z.looseObject(issuer)
    : z.looseObject({ ...issuer, credential_configuration_ids: zIds, grants: zGrants.optional() })
  const { error } = schema.safeParse(offer)
  return (error?.issues ?? []).map(({ path, message, input, code }) => {
    const isMissing = code === 'invalid_type' && input === undefined && !isThere(offer, path)
    return `${path.map(String).join('.')} ${isMissing ? 'must be present' : message}`
  })
}

function isThere(offer: unknown, path: readonly PropertyKey[]): boolean {
  let value = offer
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return false
    value = (value as Readonly<Record<PropertyKey, unknown>>)[name]
  }
  return true
}
