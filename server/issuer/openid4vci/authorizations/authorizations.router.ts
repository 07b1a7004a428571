import { procedure, router } from '../../../api/trpc.js'
import { dpopProcedure } from '../dpop.js'
import { authorize, callback, consent, decision, par } from './authorizations.contract.js'
import { authorize as authorizeBrowser } from './authorize.js'
import { decide, showConsent } from './consent.js'
import { endLogin } from './login.js'
import { pushRequest } from './par.js'

/** The authorization code flow up to the code: what a wallet pushes, and what a person's browser is shown. */
export const authorizationsRouter = router({
  par: dpopProcedure(par).mutation(({ ctx, input }) => pushRequest(ctx, input)),

  authorize: procedure(authorize).query(({ ctx, input }) => authorizeBrowser(ctx, input)),

  callback: procedure(callback).query(({ ctx, input }) => endLogin(ctx, input)),

  consent: procedure(consent).query(({ ctx, input }) => showConsent(ctx, input.id)),

  decision: procedure(decision).mutation(({ ctx, input }) => decide(ctx, input)),
})
