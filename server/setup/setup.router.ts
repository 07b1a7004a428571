import { procedure, router } from '../api/trpc.js'
import { checklist } from './checklist.js'
import { readSetup } from './setup.contract.js'

export const setupRouter = router({
  read: procedure(readSetup).query(({ ctx: { deps }, input: { ask } }) => checklist(deps, ask)),
})
