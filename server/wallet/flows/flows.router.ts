import { changingLists, procedure, router } from '../../api/trpc.js'
import type { Formats } from '../../formats/registry.js'
import { confirmFlow, declineFlow, startFlow } from './flows.contract.js'
import type { Flows } from './flows.js'

export const flowsRouter = (formats: Formats, { start, confirm, decline }: Flows) =>
  router({
    start: procedure(startFlow(formats))
      .use(changingLists)
      .mutation(({ ctx: { caller, work }, input }) => start(caller, input, work)),

    confirm: procedure(confirmFlow)
      .use(changingLists)
      .mutation(({ ctx: { caller, work }, input }) => confirm(caller, input, work)),

    decline: procedure(declineFlow).mutation(({ ctx: { caller }, input }) => decline(input, caller.sub)),
  })
