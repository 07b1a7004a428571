import { z } from 'zod'
import { route } from '../../../api/contract.js'
import { errors } from '../../../api/errors.js'
import { zAuditEvent } from '../../../audit/audit.contract.js'
import { zListedCredential } from '../list/list.contract.js'
import { CREDENTIAL_STATUSES } from '../status.js'

export const readCredentialHistory = {
  meta: route('GET', '/api/v1/credentials/{id}/history', {
    tag: 'Credentials',
    summary: 'Read the history of a credential: instances, status and audit events',
    description:
      'Every instance with its index in a status list, the watched attestations, and the audit events of the credential and of its offering, the newest first. At most 200 of each. ' +
      'The answer does not contain the claims of the credential.',
    access: 'issuerOperator',
    errors: [400, errors.credentialNotFound()],
  }),
  input: z.strictObject({ id: z.string() }),
  output: z.object({
    credential: zListedCredential,
    instances: z.array(
      z.object({
        configurationId: z.string(),
        format: z.string(),
        statusListId: z.string(),
        statusListIndex: z.int(),
        status: z.enum(CREDENTIAL_STATUSES),
        revokedAt: z.iso.datetime().optional(),
        suspendedAt: z.iso.datetime().optional(),
      }),
    ),
    attestations: z
      .array(
        z.object({
          kind: z.enum(['wallet', 'key']),
          statusList: z.string(),
          statusListIndex: z.int(),
          readAt: z.iso
            .datetime()
            .meta({ description: 'When the status was last read, at first during the issuance.' }),
          failedAt: z.iso
            .datetime()
            .optional()
            .meta({ description: 'Present if the list cannot be read: since when.' }),
          failure: z.string().optional(),
          endsAt: z.iso
            .datetime()
            .optional()
            .meta({ description: 'When the wallet provider stops to maintain the status.' }),
          invalidAt: z.iso
            .datetime()
            .optional()
            .meta({ description: 'Present if the attestation is revoked: when it was noticed.' }),
        }),
      )
      .meta({
        description:
          'The attestations of the wallet and of its keys that are looked at again, for schemas with `watchAttestations`.',
      }),
    instanceCount: z.int().meta({ description: 'The total number of instances.' }),
    events: z.array(zAuditEvent),
  }),
}
