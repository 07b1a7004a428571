import type { Deps } from '../../deps.js'
import { errors } from '../../errors.js'
import { listed } from '../../paging.js'
import { issuerOperatorProcedure, issuerProcedure, primaryListing, router } from '../../trpc.js'
import { sessionView } from '../openid4vci/sessions/session.js'
import { createCredentialOffers } from './batch/batch.contract.js'
import { createBatch } from './batch/create-batch.js'
import { createOffer } from './create.js'
import {
  approveCredentialOffer,
  createCredentialOffer,
  credentialOfferSessionEvents,
  listCredentialOfferSessions,
  readCredentialOfferSession,
  rejectCredentialOffer,
} from './credential-offers.contract.js'
import { approve, reject } from './decide.js'

/** A session belongs to its creator; someone else's is an unknown one. */
export async function ownSession(deps: Pick<Deps, 'stores'>, id: string, sub: string) {
  const session = await deps.stores.offerSessions.find(id, sub)
  if (session === undefined) throw errors.credentialOfferSessionNotFound()
  return session
}

export const credentialOffersRouter = router({
  create: issuerProcedure
    .meta(createCredentialOffer.meta)
    .input(createCredentialOffer.input)
    .output(createCredentialOffer.output)
    .mutation(({ ctx: { deps, caller, work }, input }) => createOffer(deps, caller, input, work)),

  createMany: issuerProcedure
    .meta(createCredentialOffers.meta)
    .input(createCredentialOffers.input)
    .output(createCredentialOffers.output)
    .mutation(({ ctx: { deps, caller, work }, input }) => createBatch(deps, caller, input, work)),

  sessions: issuerOperatorProcedure
    .meta(listCredentialOfferSessions.meta)
    .input(listCredentialOfferSessions.input)
    .output(listCredentialOfferSessions.output)
    .use(primaryListing)
    .query(({ ctx, input }) =>
      listed(
        ctx,
        input,
        ({ offerSessionList }, part) => offerSessionList.page(input, part),
        (session) => ({ ...sessionView(session), createdBy: session.createdBy }),
      ),
    ),

  session: issuerProcedure
    .meta(readCredentialOfferSession.meta)
    .input(readCredentialOfferSession.input)
    .output(readCredentialOfferSession.output)
    .query(async ({ ctx: { deps, caller }, input }) => sessionView(await ownSession(deps, input.id, caller.sub))),

  approve: issuerProcedure
    .meta(approveCredentialOffer.meta)
    .input(approveCredentialOffer.input)
    .output(approveCredentialOffer.output)
    .mutation(async ({ ctx: { deps, caller, work }, input }) => sessionView(await approve(deps, caller, input, work))),

  reject: issuerProcedure
    .meta(rejectCredentialOffer.meta)
    .input(rejectCredentialOffer.input)
    .output(rejectCredentialOffer.output)
    .mutation(async ({ ctx: { deps, caller }, input }) => sessionView(await reject(deps, caller, input))),

  events: issuerProcedure
    .meta(credentialOfferSessionEvents.meta)
    .input(credentialOfferSessionEvents.input)
    .subscription(({ ctx: { deps, caller, request }, input }) =>
      deps.events.stream({
        sessionId: input.id,
        lastEventId: input.lastEventId,
        caller,
        signal: request.signal,
        current: async () => {
          const session = await ownSession(deps, input.id, caller.sub)
          return { seq: session.seq, data: sessionView(session) }
        },
      }),
    ),
})
