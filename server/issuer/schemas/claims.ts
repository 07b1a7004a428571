import { REGISTERED_CLAIMS } from '../../protocol/sd-jwt-vc/registered-claims.js'
import type { CredentialSchema } from './store.js'

type JsonObject = Readonly<Record<string, unknown>>

const objectOf = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}

/** Names that a schema declares as claims of the subject and an SD-JWT VC keeps for itself. */
export function reservedClaims(body: JsonObject): string[] {
  return Object.keys(objectOf(body.properties)).filter((name) => REGISTERED_CLAIMS.has(name))
}

/** One claim of a schema, as metadata describes it. */
export interface ClaimDescription {
  /** Claims path (OpenID4VCI 1.0 Appendix C) from the subject. */
  readonly path: readonly string[]
  readonly title: string | undefined
  readonly mandatory: boolean
}

/** The subject's claims with their titles, nested objects included, as far as the schema declares them. */
export function describeClaims(body: JsonObject, prefix: readonly string[] = []): ClaimDescription[] {
  const required = new Set(Array.isArray(body.required) ? body.required : [])
  return Object.entries(objectOf(body.properties)).flatMap(([name, value]) => {
    const property = objectOf(value)
    const path = [...prefix, name]
    const title = typeof property.title === 'string' ? property.title : undefined
    const nested = prefix.length < 8 ? describeClaims(property, path) : []
    return [{ path, title, mandatory: required.has(name) }, ...nested]
  })
}

/** The same in an SD-JWT VC, where the subject's `id` is `sub` and no claim of its own. */
export const describeSdJwtClaims = (body: JsonObject): ClaimDescription[] =>
  describeClaims(body).filter(({ path }) => path[0] !== 'id')

/** Whether a claim of the type may be withheld (SD-JWT VC §6.6). */
export function isSelectivelyDisclosable(
  schema: Pick<CredentialSchema, 'selectivelyDisclosable'>,
  path: readonly string[],
): boolean {
  if (schema.selectivelyDisclosable === null) return path.length === 1
  return schema.selectivelyDisclosable.includes(path.join('.'))
}
