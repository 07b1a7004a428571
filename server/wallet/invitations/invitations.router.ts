import { changingLists, procedure, router } from '../../api/trpc.js'
import type { Formats } from '../../formats/registry.js'
import { processUri } from './invitations.contract.js'
import type { Invitations } from './invitations.js'

export const invitationsRouter = (formats: Formats, { process }: Invitations) =>
  router({
    process: procedure(processUri(formats))
      .use(changingLists)
      .mutation(({ ctx: { caller, work }, input }) => process(input, caller.sub, work)),
  })
