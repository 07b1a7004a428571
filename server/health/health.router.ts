import { procedure, router } from '../api/trpc.js'
import { liveness, readiness } from './health.contract.js'
import { healthReply, readinessOf } from './readiness.js'

export const healthRouter = router({
  liveness: procedure(liveness).query(({ ctx: { deps, request } }) => healthReply({}, request.path, deps.clock())),

  readiness: procedure(readiness).query(async ({ ctx: { deps, request } }) =>
    healthReply(await readinessOf(deps, request.requestId), request.path, deps.clock()),
  ),
})
