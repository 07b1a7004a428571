import { errors } from '../../errors.js'
import { compileJsonSchema } from '../../protocol/json-schema/compile.js'
import { REGISTERED_CLAIMS } from '../../protocol/sd-jwt-vc/registered-claims.js'
import type { CredentialSchema } from '../schemas/store.js'

type Subject = Readonly<Record<string, unknown>>

const declares = (body: Subject, name: string): boolean => {
  const { properties } = body
  return typeof properties === 'object' && properties !== null && Object.hasOwn(properties, name)
}

/** The subject's `id` names who it is; unless the schema knows a claim of that name, it is not the schema's business. */
function claimsOf(schema: CredentialSchema, subject: Subject): Subject {
  if (!('id' in subject) || declares(schema.body, 'id')) return subject
  const { id: _, ...claims } = subject
  return claims
}

/**
 * Checks a subject by its type's schema.
 *
 * @param member the request member that holds it, named in every message.
 * @throws 400 listing every claim that fails.
 */
export function assertSubject(schema: CredentialSchema, subject: Subject, member: string): void {
  const problems: string[] = []
  if ('id' in subject && (typeof subject.id !== 'string' || !/^[a-z][a-z0-9+.-]*:/i.test(subject.id))) {
    problems.push(`${member}.id must be a URI`)
  }
  for (const name of Object.keys(subject)) {
    if (REGISTERED_CLAIMS.has(name))
      problems.push(`${member}.${name} must not be given: the name is reserved in an SD-JWT VC`)
  }
  for (const { path, message } of compileJsonSchema(schema.body).validate(claimsOf(schema, subject))) {
    problems.push(`${[member, path].filter((part) => part !== '').join('.')} ${message}`)
  }
  if (problems.length > 0) throw errors.badRequest(...problems)
}
