import { errors } from '../../api/errors.js'
import { procedure, router } from '../../api/trpc.js'
import type { Formats } from '../../formats/registry.js'
import { compiledNewQuery, orBadRequest } from '../vp-queries/compiled.js'
import { createAuthorizationRequest } from './authorization-requests.contract.js'
import { assertOrigins, assertRedirectUri, assertTrusted, createRequest } from './create.js'

export const authorizationRequestsRouter = (formats: Formats) => {
  return router({
    create: procedure(createAuthorizationRequest(formats)).mutation(async ({ ctx: { deps, caller, work }, input }) => {
      const { dcqlQuery, query, redirectUri, verifierId } = input
      assertRedirectUri(deps, 'redirectUri', redirectUri)
      assertOrigins(deps, input.expectedOrigins)
      assertTrusted(deps, input.trustedIssuers)
      const items = query ?? []
      const compiled = orBadRequest(() => compiledNewQuery(items, work))
      const verifier = verifierId === undefined ? undefined : { verifierId, sub: caller.sub }
      const context = await deps.stores.authorizationRequests.context(verifier, null)
      if (context === undefined) throw errors.verifierNotFound()
      const asked = dcqlQuery === undefined ? { items, compiled } : { dcqlQuery }
      const request = { ...input, asked, createdBy: caller.sub }
      return createRequest(deps, context, work, request)
    }),
  })
}
