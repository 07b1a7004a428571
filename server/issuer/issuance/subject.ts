import { errors } from '../../api/errors.js'
import { assertPlainValue } from '../../api/json-text.js'
import type { Issuing } from '../../formats/issuing.js'
import type { Formats } from '../../formats/registry.js'
import { CredentialError } from '../../protocol/credential/verification.js'
import { INEXACT, inexactNumbers } from '../../protocol/json/exact-numbers.js'
import { compileJsonSchema, JsonSchemaError } from '../../protocol/json-schema/compile.js'
import type { Work } from '../../protocol/work.js'
import { declaredClaims } from '../schemas/claims.js'
import type { CredentialSchema } from '../schemas/store.js'

type Subject = Readonly<Record<string, unknown>>

/** The subject without its identifier `id`, unless the schema declares a claim `id` itself. */
function claimsOf(schema: CredentialSchema, subject: Subject): Subject {
  if (!('id' in subject) || declaredClaims(schema.body).includes('id')) return subject
  const { id: _, ...claims } = subject
  return claims
}

/** One message for each claim that a format cannot contain. */
async function unusableIn(
  issuing: Issuing,
  schema: CredentialSchema,
  subject: Subject,
  member: string,
  work: Work,
): Promise<string[]> {
  const reserved = Object.keys(subject).filter((name) => issuing.reservedClaims.has(name))
  if (reserved.length > 0)
    return reserved.map((name) => `${member}.${name} must not be given: the name is reserved in ${issuing.title}`)
  try {
    await issuing.checkSubject(subject, schema, work)
    return []
  } catch (thrown) {
    if (!(thrown instanceof CredentialError)) throw thrown
    return [`${member} cannot be signed: ${thrown.message}`]
  }
}

/**
 * Limits for a subject. Verifiers allow more for a whole credential in any format: 256 KiB of base64url, 2,000
 * disclosures, 64 levels.
 */
const MAX_BYTES = 160 * 1024
const MAX_VALUES = 1_000
const MAX_LEVELS = 32

/** The number of members and elements in a value, at every depth; infinite if the value nests too deeply. */
function countValues(value: unknown, level = 1): number {
  if (typeof value !== 'object' || value === null) return 0
  if (level > MAX_LEVELS) return Number.POSITIVE_INFINITY
  return Object.values(value).reduce((sum: number, inner) => sum + 1 + countValues(inner, level + 1), 0)
}

/**
 * Returns a message if the subject is too large. Verifiers, including this service, would refuse the signed credential.
 */
function boundsExceeded(subject: Subject, member: string): string[] {
  const values = countValues(subject)
  if (values === Number.POSITIVE_INFINITY) return [`${member} must not nest deeper than ${MAX_LEVELS} levels`]
  if (values > MAX_VALUES) return [`${member} must not hold more than ${MAX_VALUES} members and elements`]
  if (Buffer.byteLength(JSON.stringify(subject)) > MAX_BYTES) return [`${member} must not exceed ${MAX_BYTES} bytes`]
  return []
}

/**
 * The violations of the schema. A stored schema can still exceed the request's budget, if the request has used much of
 * the budget before.
 */
function violationsOf(schema: CredentialSchema, subject: Subject, member: string, work: Work): string[] {
  try {
    const violations = compileJsonSchema(schema.body, work).validate(claimsOf(schema, subject), work)
    return violations.map(({ path, message }) => `${[member, path].filter((part) => part !== '').join('.')} ${message}`)
  } catch (thrown) {
    if (!(thrown instanceof JsonSchemaError)) throw thrown
    return [`${member} cannot be checked against its schema, which ${thrown.reason}`]
  }
}

/**
 * Checks that a subject is valid against its type's schema, can be stored, and can be issued in every format. Some
 * subjects do not come from the JSON of a request, so the check of their texts is repeated here.
 *
 * @param member the request member with the subject, named in every message
 * @param work the budget for the check
 * @throws 400 listing every claim that fails
 */
export async function assertSubject(
  formats: Pick<Formats, 'issued'>,
  schema: CredentialSchema,
  subject: Subject,
  member: string,
  work: Work,
): Promise<void> {
  const problems = boundsExceeded(subject, member)
  if (problems.length > 0) throw errors.invalid(problems)
  assertPlainValue(subject, member)
  const inexact = [...inexactNumbers(subject)]
  if (inexact.length > 0) throw errors.invalid(inexact.map((path) => `${[member, ...path].join('.')} ${INEXACT}`))
  if ('id' in subject && (typeof subject.id !== 'string' || !/^[a-z][a-z0-9+.-]*:/i.test(subject.id))) {
    problems.push(`${member}.id must be a URI`)
  }
  const unusable: string[] = []
  for (const { issuing } of formats.issued) unusable.push(...(await unusableIn(issuing, schema, subject, member, work)))
  // Several formats may give the same message.
  problems.push(...new Set(unusable))
  problems.push(...violationsOf(schema, subject, member, work))
  if (problems.length > 0) throw errors.invalid(problems)
}
