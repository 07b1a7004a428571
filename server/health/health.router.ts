import { zProtocolReply } from '../protocol/oauth/reply.js'
import { publicProcedure, router } from '../trpc.js'
import { liveness, readiness } from './health.contract.js'
import { healthReply, readinessOf } from './readiness.js'

export const healthRouter = router({
  liveness: publicProcedure
    .meta(liveness.meta)
    .input(liveness.input)
    .output(zProtocolReply)
    .query(({ ctx: { deps, request } }) => healthReply({}, request.path, deps.clock())),

  readiness: publicProcedure
    .meta(readiness.meta)
    .input(readiness.input)
    .output(zProtocolReply)
    .query(async ({ ctx: { deps, request } }) =>
      healthReply(await readinessOf(deps, request.requestId), request.path, deps.clock()),
    ),
})
