import { errors } from '../../api/errors.js'
import { listed } from '../../api/paging.js'
import { changingLists, listing, procedure, router } from '../../api/trpc.js'
import {
  addTrustedIssuer,
  listTrustedIssuers,
  readCredentialTrust,
  removeTrustedIssuer,
} from './trusted-issuers.contract.js'
import { addTrusted, credentialTrust, shownTrustedIssuer } from './trusted-issuers.js'

export const trustedIssuersRouter = router({
  list: procedure(listTrustedIssuers)
    .use(listing)
    .query(({ ctx, input }) =>
      listed(ctx, input, ({ trustedIssuers }, part) => trustedIssuers.page(part), shownTrustedIssuer),
    ),

  add: procedure(addTrustedIssuer)
    .use(changingLists)
    .mutation(async ({ ctx: { deps, caller }, input }) =>
      shownTrustedIssuer(await addTrusted(deps, input, caller?.sub ?? null)),
    ),

  remove: procedure(removeTrustedIssuer)
    .use(changingLists)
    .mutation(async ({ ctx: { deps, caller }, input }) => {
      const removed = await deps.stores.trustedIssuers.remove(input.id, caller?.sub ?? null)
      if (!removed) throw errors.trustedIssuerNotFound()
    }),

  configured: procedure(readCredentialTrust).query(({ ctx: { deps } }) => credentialTrust(deps.config)),
})
