import type { z } from 'zod'
import type { zAuditEvent } from './audit.contract.js'
import type { AuditEvent } from './store.js'

/** An audit event as the API shows it. */
export const auditEvent = ({ id, createdAt, actor, detail, ...event }: AuditEvent): z.input<typeof zAuditEvent> => ({
  id: id.replace(/^0+/, ''),
  at: createdAt.toISOString(),
  ...(actor === null ? {} : { actor }),
  ...event,
  ...(detail === null ? {} : { detail }),
})
