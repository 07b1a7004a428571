import { publicProcedure, router } from '../../../trpc.js'
import { dpopProcedure } from '../dpop.js'
import { authorize, callback, consent, decision, par } from './authorizations.contract.js'
import { authorize as authorizeBrowser } from './authorize.js'
import { decide, showConsent } from './consent.js'
import { endLogin } from './login.js'
import { pushRequest } from './par.js'

/** The authorization code flow up to the code: what a wallet pushes, and what a person's browser is shown. */
export const authorizationsRouter = router({
  par: dpopProcedure
    .meta(par.meta)
    .input(par.input)
    .output(par.output)
    .mutation(({ ctx, input }) => pushRequest(ctx, input)),

  authorize: publicProcedure
    .meta(authorize.meta)
    .input(authorize.input)
    .output(authorize.output)
    .query(({ ctx, input }) => authorizeBrowser(ctx, input)),

  callback: publicProcedure
    .meta(callback.meta)
    .input(callback.input)
    .output(callback.output)
    .query(({ ctx, input }) => endLogin(ctx, input)),

  consent: publicProcedure
    .meta(consent.meta)
    .input(consent.input)
    .output(consent.output)
    .query(({ ctx, input }) => showConsent(ctx, input.id)),

  decision: publicProcedure
    .meta(decision.meta)
    .input(decision.input)
    .output(decision.output)
    .mutation(({ ctx, input }) => decide(ctx, input)),
})
