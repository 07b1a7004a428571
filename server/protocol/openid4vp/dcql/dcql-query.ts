import { z } from 'zod'
import { checkDcqlReferences } from './check-references.js'
import { list } from './claims-query.js'
import {
  type CredentialQuery,
  type CredentialSetQuery,
  credentialQuery,
  MAX_CREDENTIALS,
  MAX_SETS,
  zCredentialSet,
} from './credential-query.js'
import type { QueryableFormat } from './format.js'

export interface DcqlQuery {
  readonly credentials: readonly CredentialQuery[]
  readonly credential_sets?: readonly CredentialSetQuery[] | undefined
}

/**
 * A DCQL query from a caller (OpenID4VP 1.0 §6), for some credential formats. `meta` is required and never empty. Identifiers are
 * unique, and every reference names an existing identifier. No claim is requested twice.
 */
export function dcqlQuery(formats: readonly QueryableFormat[]): z.ZodType<DcqlQuery> {
  return z
    .strictObject({
      credentials: list(credentialQuery(formats), MAX_CREDENTIALS),
      credential_sets: list(zCredentialSet, MAX_SETS).optional(),
    })
    .superRefine((query, context) => {
      for (const { path, message } of checkDcqlReferences(query, formats))
        context.addIssue({ code: 'custom', path, message })
    })
}
