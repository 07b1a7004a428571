import { operatorProcedure, router } from '../trpc.js'
import { checklist } from './checklist.js'
import { readSetup } from './setup.contract.js'

export const setupRouter = router({
  read: operatorProcedure
    .meta(readSetup.meta)
    .input(readSetup.input)
    .output(readSetup.output)
    .query(({ ctx: { deps }, input: { ask } }) => checklist(deps, ask)),
})
