import type { Formats } from '../../formats/registry.js'
import { changingLists, router, userProcedure } from '../../trpc.js'
import { exchanging } from '../protocol/exchange-failure.js'
import { confirm } from './confirm.js'
import { decline } from './decline.js'
import { confirmFlow, declineFlow, startFlow } from './flows.contract.js'
import { start } from './start.js'

export const flowsRouter = (formats: Formats) => {
  const startContract = startFlow(formats)
  return router({
    start: userProcedure
      .meta(startContract.meta)
      .input(startContract.input)
      .output(startContract.output)
      .use(changingLists)
      .mutation(({ ctx: { deps, caller, work }, input }) => exchanging(() => start(deps, caller, work, input))),

    confirm: userProcedure
      .meta(confirmFlow.meta)
      .input(confirmFlow.input)
      .output(confirmFlow.output)
      .use(changingLists)
      .mutation(({ ctx: { deps, caller, work }, input }) => exchanging(() => confirm(deps, caller, work, input))),

    decline: userProcedure
      .meta(declineFlow.meta)
      .input(declineFlow.input)
      .output(declineFlow.output)
      .mutation(({ ctx: { deps, caller }, input }) => decline(deps, caller, input.processId)),
  })
}
