import { z } from 'zod'
import { route } from '../api/contract.js'
import { listShape, zListed } from '../api/paging.js'

const zWord = (description: string) =>
  z
    .string()
    .regex(/^[a-z][a-z._-]{0,99}$/, { error: 'must be a word such as credential or credential.issued' })
    .optional()
    .meta({ description })

/** Who did what to which thing, and when; never what a credential says. */
export const zAuditEvent = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  actor: z
    .string()
    .optional()
    .meta({ description: 'The `sub` of the caller; absent for a client secret, a wallet and the service itself.' }),
  action: z.string(),
  subject: z.string().meta({ description: 'The kind of thing that it was done to.' }),
  subjectId: z.string(),
})

export const listAuditEvents = {
  meta: route('GET', '/api/v1/audit-events', {
    tag: 'Audit',
    summary: 'List audit events',
    description: 'Who changed what, the newest first. Events are only ever added, and hold ids alone.',
    access: 'admin',
    errors: [400],
  }),
  input: z
    .strictObject({
      action: zWord('What was done: `credential.issued`, `schema.withdrawn`.'),
      actor: z.string().min(1).max(4_096).optional().meta({ description: 'The `sub` of who did it.' }),
      subject: zWord('The kind of thing that it was done to: `credential`, `offering`.'),
      subjectId: z.string().min(1).max(8_192).optional().meta({ description: 'The id of that thing.' }),
      ...listShape,
    })
    .prefault({}),
  output: zListed(zAuditEvent),
}
