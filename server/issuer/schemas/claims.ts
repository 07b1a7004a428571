import type { CredentialSchema } from './store.js'

type JsonObject = Readonly<Record<string, unknown>>

const objectOf = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}

/** Names of the claims that a schema declares at the top of the subject. */
export const declaredClaims = (body: JsonObject): string[] => Object.keys(objectOf(body.properties))

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

/** Whether a claim of the type may be withheld (SD-JWT VC §6.6). */
export function isSelectivelyDisclosable(
  schema: Pick<CredentialSchema, 'selectivelyDisclosable'>,
  path: readonly string[],
): boolean {
  if (schema.selectivelyDisclosable === null) return path.length === 1
  return schema.selectivelyDisclosable.includes(path.join('.'))
}
