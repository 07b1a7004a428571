import { procedure, router } from '../api/trpc.js'
import { liveness, readiness } from './health.contract.js'
import { type Components, healthReply } from './readiness.js'

/** The ports of the health checks. */
export interface HealthPorts {
  readonly clock: () => Date
  readonly readiness: (requestId: string) => Promise<Components>
}

export const healthRouter = (health: HealthPorts) =>
  router({
    liveness: procedure(liveness).query(({ ctx: { request } }) => healthReply({}, request.path, health.clock())),

    readiness: procedure(readiness).query(async ({ ctx: { request } }) =>
      healthReply(await health.readiness(request.requestId), request.path, health.clock()),
    ),
  })
