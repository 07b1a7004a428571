import { router, userProcedure } from '../../trpc.js'
import { exchanging } from '../protocol/exchange-failure.js'
import { confirm } from './confirm.js'
import { confirmFlow, startFlow } from './flows.contract.js'
import { start } from './start.js'

export const flowsRouter = router({
  start: userProcedure
    .meta(startFlow.meta)
    .input(startFlow.input)
    .output(startFlow.output)
    .mutation(({ ctx: { deps, caller }, input }) => exchanging(() => start(deps, caller, input.qrContent, input.did))),

  confirm: userProcedure
    .meta(confirmFlow.meta)
    .input(confirmFlow.input)
    .output(confirmFlow.output)
    .mutation(({ ctx: { deps, caller }, input }) => exchanging(() => confirm(deps, caller, input))),
})
