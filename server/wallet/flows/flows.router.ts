import { changingLists, procedure, router } from '../../api/trpc.js'
import type { Formats } from '../../formats/registry.js'
import { exchanging } from '../exchange/failure.js'
import { confirm } from './confirm.js'
import { decline } from './decline.js'
import { confirmFlow, declineFlow, startFlow } from './flows.contract.js'
import { start } from './start.js'

export const flowsRouter = (formats: Formats) => {
  const startContract = startFlow(formats)
  return router({
    start: procedure(startContract)
      .use(changingLists)
      .mutation(({ ctx: { deps, caller, work }, input }) => exchanging(() => start(deps, caller, work, input))),

    confirm: procedure(confirmFlow)
      .use(changingLists)
      .mutation(({ ctx: { deps, caller, work }, input }) => exchanging(() => confirm(deps, caller, work, input))),

    decline: procedure(declineFlow).mutation(({ ctx: { deps, caller }, input }) =>
      decline(deps, caller, input.processId),
    ),
  })
}
