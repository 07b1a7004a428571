import { procedure, router } from '../api/trpc.js'
import type { CredentialOfferSessionView } from '../issuer/openid4vci/sessions/session.js'
import type { SessionView } from '../verifier/sessions/session.js'
import { makePage } from './create.js'
import {
  createPage,
  presentEvents,
  presentPage,
  presentReturn,
  receiveEvents,
  receivePage,
} from './people-pages.contract.js'
import { comeBack } from './present/come-back.js'
import { FINAL_STATES, progressOf as progressOfRequest, type Progress as RequestProgress } from './present/sentences.js'
import { showPresentPage } from './present/show.js'
import { DONE_STATES, type Progress as OfferProgress, progressOf as progressOfOffer } from './receive/sentences.js'
import { showReceivePage } from './receive/show.js'
import { type Told, watchPage } from './watch.js'

const REQUEST: Told<SessionView, RequestProgress['state']> = {
  latest: (stores, id) => stores.verificationSessions.latest(id),
  progress: progressOfRequest,
  baseUrl: ({ verifierBaseUrl }) => verifierBaseUrl,
  isFinal: (state) => FINAL_STATES.includes(state),
}

const OFFER: Told<CredentialOfferSessionView, OfferProgress['state']> = {
  latest: (stores, id) => stores.offerSessions.latest(id),
  progress: progressOfOffer,
  baseUrl: ({ issuerBaseUrl }) => issuerBaseUrl,
  isFinal: (state) => DONE_STATES.includes(state),
}

/** How a backend gets a page. */
export const createPageRouter = router({
  create: procedure(createPage).mutation(({ ctx: { deps, access, caller }, input }) => {
    access.assertRole(caller, input.verificationSessionId === undefined ? 'issuer' : 'verifier')
    return makePage(deps, caller, input)
  }),
})

/** What people and their browsers ask for. */
export const peoplePagesRouter = router({
  present: procedure(presentPage).query(({ ctx, input }) => showPresentPage(ctx, input.id)),

  presentReturn: procedure(presentReturn).query(({ ctx, input }) => comeBack(ctx, input.id, input.response_code)),

  presentEvents: procedure(presentEvents).subscription(async ({ ctx, input: { id, lastEventId } }) =>
    watchPage(ctx, id, await ctx.deps.stores.pages.presentTarget(id), lastEventId, REQUEST),
  ),

  receive: procedure(receivePage).query(({ ctx, input }) => showReceivePage(ctx, input.id)),

  receiveEvents: procedure(receiveEvents).subscription(async ({ ctx, input: { id, lastEventId } }) =>
    watchPage(ctx, id, await ctx.deps.stores.pages.receiveTarget(id), lastEventId, OFFER),
  ),
})
