import { errors } from '../../errors.js'
import { listed } from '../../paging.js'
import { changingLists, listing, operatorProcedure, router, verifierOperatorProcedure } from '../../trpc.js'
import {
  addTrustedIssuer,
  listTrustedIssuers,
  readCredentialTrust,
  removeTrustedIssuer,
} from './trusted-issuers.contract.js'
import { addTrusted, credentialTrust, shownTrustedIssuer } from './trusted-issuers.js'

export const trustedIssuersRouter = router({
  list: verifierOperatorProcedure
    .meta(listTrustedIssuers.meta)
    .input(listTrustedIssuers.input)
    .output(listTrustedIssuers.output)
    .use(listing)
    .query(({ ctx, input }) =>
      listed(ctx, input, ({ trustedIssuers }, part) => trustedIssuers.page(part), shownTrustedIssuer),
    ),

  add: operatorProcedure
    .meta(addTrustedIssuer.meta)
    .input(addTrustedIssuer.input)
    .output(addTrustedIssuer.output)
    .use(changingLists)
    .mutation(async ({ ctx: { deps, caller }, input }) =>
      shownTrustedIssuer(await addTrusted(deps, input, caller?.sub ?? null)),
    ),

  remove: operatorProcedure
    .meta(removeTrustedIssuer.meta)
    .input(removeTrustedIssuer.input)
    .output(removeTrustedIssuer.output)
    .use(changingLists)
    .mutation(async ({ ctx: { deps, caller }, input }) => {
      const removed = await deps.stores.trustedIssuers.remove(input.id, caller?.sub ?? null)
      if (!removed) throw errors.trustedIssuerNotFound()
    }),

  configured: verifierOperatorProcedure
    .meta(readCredentialTrust.meta)
    .input(readCredentialTrust.input)
    .output(readCredentialTrust.output)
    .query(({ ctx: { deps } }) => credentialTrust(deps.config)),
})
