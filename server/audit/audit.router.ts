import { listed } from '../paging.js'
import { adminProcedure, listing, router } from '../trpc.js'
import { listAuditEvents } from './audit.contract.js'
import { auditEvent } from './audit-event.js'

export const auditRouter = router({
  list: adminProcedure
    .meta(listAuditEvents.meta)
    .input(listAuditEvents.input)
    .output(listAuditEvents.output)
    .use(listing)
    .query(({ ctx, input }) => listed(ctx, input, ({ audit }, part) => audit.page(input, part), auditEvent)),
})
