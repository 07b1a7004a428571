import { changingLists, procedure, router } from '../../api/trpc.js'
import type { Formats } from '../../formats/registry.js'
import { processUri } from './invitations.contract.js'
import { processInvitation } from './invitations.js'

export const processRouter = (formats: Formats) =>
  router({
    process: procedure(processUri(formats))
      .use(changingLists)
      .mutation(({ ctx: { deps, caller, work }, input }) => processInvitation(deps, caller, input, work)),
  })
