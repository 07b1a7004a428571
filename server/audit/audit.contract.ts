import { z } from 'zod'
import { route } from '../api/contract.js'
import { listShape, zListed } from '../api/paging.js'

const zWord = (description: string) =>
  z
    .string()
    .regex(/^[a-z][a-z._-]{0,99}$/, { error: 'must be a word such as credential or credential.issued' })
    .optional()
    .meta({ description })

/** An audit event: actor, action, subject and time. It never contains claims. */
export const zAuditEvent = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  actor: z.string().optional().meta({
    description:
      'The `sub` of the caller; absent if the caller used a client secret, is a wallet, or is the service itself.',
  }),
  action: z.string(),
  subject: z.string().meta({ description: 'The kind of the changed record.' }),
  subjectId: z.string(),
  detail: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .optional()
    .meta({
      description: 'Facts about the action, such as the number of exported records. Absent for most actions.',
    }),
})

export const listAuditEvents = {
  meta: route('GET', '/api/v1/audit-events', {
    tag: 'Audit',
    summary: 'List audit events',
    description:
      'All changes and who made them, the newest first. Events are never changed or removed. They contain only ids.',
    access: 'admin',
    errors: [400],
  }),
  input: z
    .strictObject({
      action: zWord('The action: `credential.issued`, `schema.withdrawn`.'),
      actor: z
        .string()
        .min(1)
        .max(4_096)
        .optional()
        .meta({ description: 'The `sub` of the caller who made the change.' }),
      subject: zWord('The kind of the changed record: `credential`, `offering`.'),
      subjectId: z.string().min(1).max(8_192).optional().meta({ description: 'The id of the changed record.' }),
      ...listShape,
    })
    .prefault({}),
  output: zListed(zAuditEvent),
}
