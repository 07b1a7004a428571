import { z } from 'zod'
import type { JsonObject } from '../../json/json-object.js'
import { list, MAX_VALUES, zClaimsQuery, zId } from './claims-query.js'
import type { QueryableFormat } from './format.js'

/** Maximum of credential queries in one DCQL query. */
export const MAX_CREDENTIALS = 32
const MAX_CLAIMS = 1_024
export const MAX_SETS = 32

const MAX_LISTS = 100
const MAX_ADDRESS = 2_000

/** A trusted authorities query (§6.1.1). Its third type, `openid_federation`, needs a federation that this verifier does not know. */
const zTrustedAuthority = z.discriminatedUnion(
  'type',
  [
    z.strictObject({
      type: z.literal('aki'),
      values: list(z.string().regex(/^[A-Za-z0-9_-]+$/, 'must be base64url'), MAX_VALUES),
    }),
    z.strictObject({
      type: z.literal('etsi_tl'),
      values: list(
        z
          .string()
          .max(MAX_ADDRESS)
          .refine((value) => URL.canParse(value), 'must be the address of a trusted list'),
        MAX_LISTS,
      ),
    }),
  ],
  { error: 'must be aki or etsi_tl; openid_federation and other types are not supported' },
)

export type TrustedAuthority = z.infer<typeof zTrustedAuthority>

const base = {
  id: zId,
  multiple: z.boolean().optional(),
  trusted_authorities: list(zTrustedAuthority, MAX_SETS).optional(),
  require_cryptographic_holder_binding: z.boolean().optional(),
  claims: list(zClaimsQuery, MAX_CLAIMS).optional(),
  claim_sets: list(list(zId, MAX_CLAIMS), MAX_SETS).optional(),
}

const zBase = z.strictObject(base)

/** A credential query (§6.1), with the `meta` of its format. */
export type CredentialQuery = CredentialQueryOf<string, JsonObject>
export type CredentialQueryOf<Format extends string, Meta> = z.infer<typeof zBase> & { format: Format; meta: Meta }

const queryOf = ({ name, querying }: QueryableFormat) =>
  z.strictObject({ ...base, format: z.literal(name), meta: querying.meta })

type QueryShape = ReturnType<typeof queryOf>

/** The Zod schema of a credential query, whose format is one of several formats. */
export function credentialQuery(formats: readonly QueryableFormat[]): z.ZodType<CredentialQuery> {
  const names = formats.map(({ name }) => name)
  return z.discriminatedUnion('format', formats.map(queryOf) as [QueryShape, ...QueryShape[]], {
    error: `must be ${[names.slice(0, -1).join(', '), names.at(-1)].filter(Boolean).join(' or ')}`,
  })
}

/** A credential set query (§6.2). */
export const zCredentialSet = z.strictObject({
  options: list(list(zId, MAX_CREDENTIALS), MAX_SETS),
  required: z.boolean().optional(),
})
export type CredentialSetQuery = z.infer<typeof zCredentialSet>
