import { procedure, router } from '../../../api/trpc.js'
import { type Dpop, dpopProcedure } from '../dpop.js'
import { authorize, callback, consent, decision, par } from './authorizations.contract.js'
import type { Authorizations } from './authorizations.js'

/** The authorization code flow up to the code: pushed requests, and the pages in a person's browser. */
export const authorizationsRouter = ({
  authorizations,
  dpop,
}: {
  readonly authorizations: Authorizations
  readonly dpop: Dpop
}) =>
  router({
    par: dpopProcedure(dpop)(par).mutation(({ ctx, input }) =>
      authorizations.pushRequest(ctx.request, input, ctx.work),
    ),

    authorize: procedure(authorize).query(({ ctx, input }) => authorizations.authorize(ctx.request, input)),

    callback: procedure(callback).query(({ ctx, input }) => authorizations.endLogin(ctx.request, input)),

    consent: procedure(consent).query(({ ctx, input }) => authorizations.showConsent(ctx.request, input.id, ctx.work)),

    decision: procedure(decision).mutation(({ ctx, input }) => authorizations.decide(ctx.request, input, ctx.work)),
  })
