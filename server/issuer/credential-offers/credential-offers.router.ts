import { errors } from '../../api/errors.js'
import { listed } from '../../api/paging.js'
import { primaryListing, procedure, router } from '../../api/trpc.js'
import type { Deps } from '../../deps.js'
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
  create: procedure(createCredentialOffer).mutation(({ ctx: { deps, caller, work }, input }) =>
    createOffer(deps, caller, input, work),
  ),

  createMany: procedure(createCredentialOffers).mutation(({ ctx: { deps, caller, work }, input }) =>
    createBatch(deps, caller, input, work),
  ),

  sessions: procedure(listCredentialOfferSessions)
    .use(primaryListing)
    .query(({ ctx, input }) =>
      listed(
        ctx,
        input,
        ({ offerSessionList }, part) => offerSessionList.page(input, part),
        (session) => ({ ...sessionView(session), createdBy: session.createdBy }),
      ),
    ),

  session: procedure(readCredentialOfferSession).query(async ({ ctx: { deps, caller }, input }) =>
    sessionView(await ownSession(deps, input.id, caller.sub)),
  ),

  approve: procedure(approveCredentialOffer).mutation(async ({ ctx: { deps, caller, work }, input }) =>
    sessionView(await approve(deps, caller, input, work)),
  ),

  reject: procedure(rejectCredentialOffer).mutation(async ({ ctx: { deps, caller }, input }) =>
    sessionView(await reject(deps, caller, input)),
  ),

  events: procedure(credentialOfferSessionEvents).subscription(({ ctx: { deps, caller, request }, input }) =>
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
