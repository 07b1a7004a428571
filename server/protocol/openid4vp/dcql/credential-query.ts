import { z } from 'zod'

/** Credential queries of one DCQL query. */
export const MAX_CREDENTIALS = 32
const MAX_CLAIMS = 1_024
export const MAX_SETS = 32
const MAX_VALUES = 1_000
const MAX_PATH_LENGTH = 32

/** An array of 1 to `max` elements. */
export function list<Schema extends z.ZodType>(schema: Schema, max: number): z.ZodArray<Schema> {
  return z.array(schema).min(1, 'must not be empty').max(max, `must not hold more than ${max} elements`)
}

/** OpenID4VP 1.0 §6.1, §6.3: identifiers of credential queries and claims queries. */
const zId = z
  .string()
  .regex(/^[A-Za-z0-9_-]+$/, 'must consist of letters, digits, _ and -')
  .max(64)

const PATH_COMPONENT = 'must be a string, a non-negative integer or null'

/** A claims path pointer (OpenID4VP 1.0 §7): names, indices, and null for all elements of an array. */
const zClaimsPath = list(
  z.union([z.string(), z.int().min(0, PATH_COMPONENT), z.null()], { error: PATH_COMPONENT }),
  MAX_PATH_LENGTH,
)
export type ClaimsPath = z.infer<typeof zClaimsPath>

const zClaimValue = z.union([z.string(), z.int(), z.boolean()], { error: 'must be a string, an integer or a boolean' })
export type ClaimValue = z.infer<typeof zClaimValue>

/** A claims query (§6.3). */
const zClaimsQuery = z.strictObject({
  id: zId.optional(),
  path: zClaimsPath,
  values: list(zClaimValue, MAX_VALUES).optional(),
})
export type ClaimsQuery = z.infer<typeof zClaimsQuery>

/** A trusted authorities query (§6.1.1). The other types need trust frameworks that this verifier does not know. */
const zTrustedAuthority = z.strictObject({
  type: z.literal('aki', { error: 'must be aki, the only type that is supported' }),
  values: list(z.string().regex(/^[A-Za-z0-9_-]+$/, 'must be base64url'), MAX_VALUES),
})

const base = {
  id: zId,
  multiple: z.boolean().optional(),
  trusted_authorities: list(zTrustedAuthority, MAX_SETS).optional(),
  require_cryptographic_holder_binding: z.boolean().optional(),
  claims: list(zClaimsQuery, MAX_CLAIMS).optional(),
  claim_sets: list(list(zId, MAX_CLAIMS), MAX_SETS).optional(),
}

const zSdJwtVcQuery = z.strictObject({
  ...base,
  format: z.literal('dc+sd-jwt'),
  // Appendix B.3.5
  meta: z.strictObject({ vct_values: list(z.string().min(1, 'must not be empty'), MAX_VALUES) }),
})
export type SdJwtVcQuery = z.infer<typeof zSdJwtVcQuery>

const zJwtVcQuery = z.strictObject({
  ...base,
  format: z.literal('jwt_vc_json'),
  // Appendix B.1.1
  meta: z.strictObject({ type_values: list(list(z.string().min(1, 'must not be empty'), MAX_SETS), MAX_VALUES) }),
})
export type JwtVcQuery = z.infer<typeof zJwtVcQuery>

/** A credential query (§6.1), its `meta` by format. */
export const zCredentialQuery = z.discriminatedUnion('format', [zSdJwtVcQuery, zJwtVcQuery], {
  error: 'must be dc+sd-jwt or jwt_vc_json',
})
export type CredentialQuery = z.infer<typeof zCredentialQuery>

/** A credential set query (§6.2). */
export const zCredentialSet = z.strictObject({
  options: list(list(zId, MAX_CREDENTIALS), MAX_SETS),
  required: z.boolean().optional(),
})
export type CredentialSetQuery = z.infer<typeof zCredentialSet>
