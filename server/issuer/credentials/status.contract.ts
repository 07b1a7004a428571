import { z } from 'zod'
import { route } from '../../api/contract.js'
import { errors } from '../../api/errors.js'
import { CREDENTIAL_STATUSES, STATUS_REASONS } from './status.js'

export const zReason = z.enum(STATUS_REASONS)

/** The longest note, in characters. */
const MAX_NOTE = 1_000

export const zNote = z.string().min(1).max(MAX_NOTE)

const zStatusChange = z.strictObject({
  id: z.string(),
  reason: zReason
    .optional()
    .meta({ description: 'It is in the history of the credential and in the audit log, and is not published.' }),
  note: zNote
    .optional()
    .meta({ description: 'A note for operators. It is stored encrypted like claims, and is not published.' }),
})

export const revokeCredential = {
  meta: route('POST', '/api/v1/credentials/{id}/revoke', {
    tag: 'Credentials',
    summary: 'Revoke a credential with all its instances',
    description:
      'The entries of all its instances in the status lists change immediately. A revocation is final. A repeated revocation is ' +
      'answered with 200 too, and keeps the first reason and note.',
    access: 'issuerClient',
    errors: [400, errors.credentialNotFound()],
  }),
  input: zStatusChange,
  output: z.void(),
}

export const suspendCredential = {
  meta: route('POST', '/api/v1/credentials/{id}/suspend', {
    tag: 'Credentials',
    summary: 'Suspend a credential with all its instances',
    description:
      'For credentials of a schema with `suspendable`. Until it is reinstated, the status lists show it as suspended, and wallets get ' +
      'no further copies. A repeated suspension is answered with 200 too, and keeps the first reason and note.',
    access: 'issuerClient',
    errors: [400, errors.credentialNotFound(), errors.credentialRevoked(), errors.credentialNotSuspendable()],
  }),
  input: zStatusChange,
  output: z.void(),
}

export const reinstateCredential = {
  meta: route('POST', '/api/v1/credentials/{id}/reinstate', {
    tag: 'Credentials',
    summary: 'Reinstate a suspended credential with all its instances',
    description: 'The credential is valid again. For a credential that is not suspended, nothing changes.',
    access: 'issuerClient',
    errors: [400, errors.credentialNotFound(), errors.credentialRevoked(), errors.credentialNotSuspendable()],
  }),
  input: zStatusChange,
  output: z.void(),
}

export const readCredentialStatus = {
  meta: route('GET', '/api/v1/credentials/{id}/status', {
    tag: 'Credentials',
    summary: 'Read the status of a credential with the reason and the note of its last change',
    description: 'The only answer that has the note. It does not contain the claims of the credential.',
    access: 'issuerOperator',
    errors: [400, errors.credentialNotFound()],
  }),
  input: z.strictObject({ id: z.string() }),
  output: z.object({
    status: z.enum(CREDENTIAL_STATUSES),
    supersededBy: z
      .uuid()
      .optional()
      .meta({ description: 'The credential that replaced it as the active set of its subject.' }),
    supersededInstances: z
      .int()
      .optional()
      .meta({ description: 'The number of instances that refreshes replaced and revoked, if there are any.' }),
    reason: zReason.optional(),
    note: z.string().optional(),
  }),
}
