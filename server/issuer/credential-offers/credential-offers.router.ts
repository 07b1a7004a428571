import { listed } from '../../api/paging.js'
import { procedure, readingPrimary, router } from '../../api/trpc.js'
import { creatorIn } from '../../auth/rights.js'
import { sessionView } from '../openid4vci/sessions/session.js'
import { cancelCredentialOffer, readCredentialOffer, resendCredentialOffer } from './again/again.contract.js'
import { createOfferBatch } from './batch/batch.contract.js'
import {
  approveCredentialOffer,
  createCredentialOffer,
  credentialOfferSessionEvents,
  decideCredentialOffers,
  listCredentialOfferSessions,
  readCredentialOfferSession,
  rejectCredentialOffer,
} from './credential-offers.contract.js'
import type { CredentialOffers } from './credential-offers.js'

export const credentialOffersRouter = (offers: CredentialOffers) =>
  router({
    create: procedure(createCredentialOffer).mutation(({ ctx: { caller, work }, input }) =>
      offers.create(caller, input, work),
    ),

    createMany: procedure(createOfferBatch).mutation(({ ctx: { caller, work }, input }) =>
      offers.createMany(caller, input, work),
    ),

    sessions: procedure(listCredentialOfferSessions)
      .use(readingPrimary(offers.list))
      .query(({ ctx, input }) =>
        listed(
          ctx,
          input,
          async (store, part) => {
            const creator = creatorIn(ctx.reach, input.mine)
            const sessions = await store.page({ ...input, ...offers.wanted(input), creator }, part)
            const ids = input.withClaims === true ? sessions.map(({ id }) => id) : []
            const undecided = await offers.undecided(ctx, ids)
            return sessions.map((session) => ({ ...session, undecided: undecided.get(session.id) }))
          },
          ({ undecided, ...session }) => ({ ...sessionView(session), createdBy: session.createdBy, ...undecided }),
        ),
      ),

    session: procedure(readCredentialOfferSession).query(({ ctx: { reach }, input }) =>
      offers.session(reach, input.id),
    ),

    approve: procedure(approveCredentialOffer).mutation(({ ctx: { caller, reach, work }, input }) =>
      offers.approve({ caller, reach }, input, work),
    ),

    reject: procedure(rejectCredentialOffer).mutation(({ ctx: { caller, reach }, input }) =>
      offers.reject({ caller, reach }, input),
    ),

    decide: procedure(decideCredentialOffers).mutation(({ ctx: { caller, reach, work }, input }) =>
      offers.decideMany({ caller, reach }, input, work),
    ),

    read: procedure(readCredentialOffer).query(({ ctx, input }) => offers.again.read(ctx, input.id)),

    cancel: procedure(cancelCredentialOffer).mutation(({ ctx, input }) => offers.again.cancel(ctx, input)),

    resend: procedure(resendCredentialOffer).mutation(({ ctx, input }) => offers.again.resend(ctx, input)),

    events: procedure(credentialOfferSessionEvents).subscription(({ ctx: { caller, reach, request }, input }) =>
      offers.follow(input.id, { caller, reach, lastEventId: input.lastEventId, signal: request.signal }),
    ),
  })
