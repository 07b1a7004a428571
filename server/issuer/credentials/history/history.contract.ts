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
      'Every instance with its index in a status list, and the audit events of the credential and of its offering, the newest first. At most 200 of each. ' +
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
    instanceCount: z.int().meta({ description: 'The total number of instances.' }),
    events: z.array(zAuditEvent),
  }),
}
