import { procedure, router } from '../../api/trpc.js'
import type { Formats } from '../../formats/registry.js'
import { createAuthorizationRequest } from './authorization-requests.contract.js'
import type { AuthorizationRequests } from './authorization-requests.js'

export const authorizationRequestsRouter = (formats: Formats, { create }: AuthorizationRequests) =>
  router({
    create: procedure(createAuthorizationRequest(formats)).mutation(({ ctx: { caller, work }, input }) =>
      create(input, caller.sub, work),
    ),
  })
