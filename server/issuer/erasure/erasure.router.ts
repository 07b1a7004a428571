import { changingLists, procedure, router } from '../../api/trpc.js'
import { creatorIn } from '../../auth/rights.js'
import { eraseCredential, eraseCredentialOffer, eraseOffering } from './erasure.contract.js'
import type { Erasure } from './erasure.js'

export const erasureRouter = (erasure: Erasure) =>
  router({
    credential: procedure(eraseCredential)
      .use(changingLists)
      .mutation(({ ctx: { caller, reach }, input }) =>
        erasure.credential({ actor: caller?.sub ?? null, creator: creatorIn(reach) }, input.id),
      ),

    offering: procedure(eraseOffering)
      .use(changingLists)
      .mutation(({ ctx: { caller }, input }) => erasure.offering(caller?.sub ?? null, input.id)),

    credentialOffer: procedure(eraseCredentialOffer)
      .use(changingLists)
      .mutation(({ ctx: { caller, reach }, input }) =>
        erasure.credentialOffer({ actor: caller?.sub ?? null, creator: creatorIn(reach) }, input.id),
      ),
  })
