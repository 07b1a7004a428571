import { listed } from '../api/paging.js'
import { listing, procedure, router } from '../api/trpc.js'
import { listAuditEvents } from './audit.contract.js'
import { auditEvent } from './audit-event.js'

export const auditRouter = router({
  list: procedure(listAuditEvents)
    .use(listing)
    .query(({ ctx, input }) => listed(ctx, input, ({ audit }, part) => audit.page(input, part), auditEvent)),
})
