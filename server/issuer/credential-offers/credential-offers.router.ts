import { listed } from '../../api/paging.js'
import { procedure, readingPrimary, router } from '../../api/trpc.js'
import { sessionView } from '../openid4vci/sessions/session.js'
import { cancelCredentialOffer, readCredentialOffer, resendCredentialOffer } from './again/again.contract.js'
import { createOfferBatch } from './batch/batch.contract.js'
import {
  approveCredentialOffer,
  createCredentialOffer,
  credentialOfferSessionEvents,
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
          (store, part) => store.page(input, part),
          (session) => ({ ...sessionView(session), createdBy: session.createdBy }),
        ),
      ),

    session: procedure(readCredentialOfferSession).query(({ ctx: { caller }, input }) =>
      offers.session(caller, input.id),
    ),

    approve: procedure(approveCredentialOffer).mutation(({ ctx: { caller, work }, input }) =>
      offers.approve(caller, input, work),
    ),

    reject: procedure(rejectCredentialOffer).mutation(({ ctx: { caller }, input }) => offers.reject(caller, input)),

    read: procedure(readCredentialOffer).query(({ ctx, input }) => offers.again.read(ctx, input.id)),

    cancel: procedure(cancelCredentialOffer).mutation(({ ctx, input }) => offers.again.cancel(ctx, input)),

    resend: procedure(resendCredentialOffer).mutation(({ ctx, input }) => offers.again.resend(ctx, input)),

    events: procedure(credentialOfferSessionEvents).subscription(({ ctx: { caller, request }, input }) =>
      offers.follow(input.id, { caller, lastEventId: input.lastEventId, signal: request.signal }),
    ),
  })
