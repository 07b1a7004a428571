import { z } from 'zod'
import { route } from '../../../api/contract.js'
import { errors } from '../../../api/errors.js'
import { zAuditEvent } from '../../../audit/audit.contract.js'
import { zListedCredential } from '../list/list.contract.js'
import { CREDENTIAL_STATUSES } from '../status.js'

export const readCredentialHistory = {
  meta: route('GET', '/api/v1/credentials/{id}/history', {
    tag: 'Credentials',
    summary: 'What was issued of a credential, its status, and what happened to it',
    description:
      'Every copy with its place in a status list, and the audit events of the credential and of its offering, the newest first: 200 of each at most. ' +
      'What the credential says is not in it.',
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
      }),
    ),
    instanceCount: z.int().meta({ description: 'How many copies there are in all.' }),
    events: z.array(zAuditEvent),
  }),
}
