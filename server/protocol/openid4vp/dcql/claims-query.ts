import { z } from 'zod'

/** Maximum of values, or alternatives, in one member. */
export const MAX_VALUES = 1_000
const MAX_PATH_LENGTH = 32

/** An array of 1 to `max` elements. */
export function list<Schema extends z.ZodType>(schema: Schema, max: number): z.ZodArray<Schema> {
  return z.array(schema).min(1, 'must not be empty').max(max, `must not hold more than ${max} elements`)
}

/** OpenID4VP 1.0 §6.1, §6.3: identifiers of credential queries and claims queries. */
export const zId = z
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
export const zClaimsQuery = z.strictObject({
  id: zId.optional(),
  path: zClaimsPath,
  values: list(zClaimValue, MAX_VALUES).optional(),
  intent_to_retain: z
    .boolean()
    .optional()
    .meta({ description: 'Of mobile documents alone (OpenID4VP 1.0 Appendix B.2.4).' }),
})
export type ClaimsQuery = z.infer<typeof zClaimsQuery>
