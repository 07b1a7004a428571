import { z } from 'zod'
import { checkDcqlReferences } from './check-references.js'
import { list, MAX_CREDENTIALS, MAX_SETS, zCredentialQuery, zCredentialSet } from './credential-query.js'

/**
 * A DCQL query as a caller gives it (OpenID4VP 1.0 §6), for the formats dc+sd-jwt and jwt_vc_json. `meta` is required and never
 * empty; identifiers are unique, and what refers to one refers to one that is there; no claim is asked for twice.
 */
export const zDcqlQuery = z
  .strictObject({
    credentials: list(zCredentialQuery, MAX_CREDENTIALS),
    credential_sets: list(zCredentialSet, MAX_SETS).optional(),
  })
  .superRefine((query, context) => {
    for (const { path, message } of checkDcqlReferences(query)) context.addIssue({ code: 'custom', path, message })
  })
export type DcqlQuery = z.infer<typeof zDcqlQuery>
