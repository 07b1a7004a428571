import { errors } from '../../errors.js'
import type { Formats } from '../../formats/registry.js'
import { router, verifierProcedure } from '../../trpc.js'
import { compiledQuery, orBadRequest } from '../vp-queries/compiled.js'
import { createAuthorizationRequest } from './authorization-requests.contract.js'
import { assertRedirectUri, createRequest } from './create.js'

export const authorizationRequestsRouter = (formats: Formats) => {
  const { meta, input: zInput, output: zOutput } = createAuthorizationRequest(formats)
  return router({
    create: verifierProcedure
      .meta(meta)
      .input(zInput)
      .output(zOutput)
      .mutation(async ({ ctx: { deps, caller }, input }) => {
        const { dcqlQuery, query, redirectUri, validity, responseMode, verifierId, trustedIssuers } = input
        assertRedirectUri(deps, 'redirectUri', redirectUri)
        if (query !== undefined) orBadRequest(() => compiledQuery(query))
        const verifier = verifierId === undefined ? undefined : { verifierId, sub: caller.sub }
        const context = await deps.stores.authorizationRequests.context(verifier, null)
        if (context === undefined) throw errors.verifierNotFound()
        const asked = dcqlQuery === undefined ? { items: query ?? [] } : { dcqlQuery }
        const createdBy = caller.sub
        return createRequest(deps, context, { asked, redirectUri, validity, responseMode, trustedIssuers, createdBy })
      }),
  })
}
