import { listed } from '../api/paging.js'
import { procedure, reading, router } from '../api/trpc.js'
import type { Lists } from '../database/replica/lists.js'
import { listAuditEvents } from './audit.contract.js'
import { auditEvent } from './audit-event.js'
import type { AuditStore } from './store.js'

/**
 * The router of the list of audit events. Events are written by other features, together with the rows that these
 * change.
 */
export interface AuditPorts {
  readonly lists: Lists<Pick<AuditStore, 'page'>>
}

export const auditRouter = ({ lists }: AuditPorts) =>
  router({
    list: procedure(listAuditEvents)
      .use(reading(lists))
      .query(({ ctx, input }) => listed(ctx, input, (store, part) => store.page(input, part), auditEvent)),
  })
