import type { CredentialOfferSessionView, CredentialOfferState } from '../issuer/openid4vci/sessions/session.js'
import { assertRole, publicProcedure, router, userProcedure } from '../trpc.js'
import { isFinal, type SessionState, type SessionView } from '../verifier/sessions/session.js'
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
import { progressOf as progressOfRequest } from './present/sentences.js'
import { showPresentPage } from './present/show.js'
import { DONE_STATES, progressOf as progressOfOffer } from './receive/sentences.js'
import { showReceivePage } from './receive/show.js'
import { type Told, watchPage } from './watch.js'

const REQUEST: Told<SessionView, SessionState> = {
  latest: (stores, id) => stores.verificationSessions.latest(id),
  progress: progressOfRequest,
  isFinal,
}

const OFFER: Told<CredentialOfferSessionView, CredentialOfferState> = {
  latest: (stores, id) => stores.offerSessions.latest(id),
  progress: progressOfOffer,
  isFinal: (state) => DONE_STATES.includes(state),
}

/** How a backend gets a page. */
export const createPageRouter = router({
  create: userProcedure
    .meta(createPage.meta)
    .input(createPage.input)
    .output(createPage.output)
    .mutation(({ ctx: { deps, caller }, input }) => {
      const { verifierRole, issuerRole } = deps.config
      assertRole(caller, input.verificationSessionId === undefined ? issuerRole : verifierRole, deps.config)
      return makePage(deps, caller, input)
    }),
})

/** What people and their browsers ask for. */
export const peoplePagesRouter = router({
  present: publicProcedure
    .meta(presentPage.meta)
    .input(presentPage.input)
    .output(presentPage.output)
    .query(({ ctx, input }) => showPresentPage(ctx, input.id)),

  presentReturn: publicProcedure
    .meta(presentReturn.meta)
    .input(presentReturn.input)
    .output(presentReturn.output)
    .query(({ ctx, input }) => comeBack(ctx, input.id, input.response_code)),

  presentEvents: publicProcedure
    .meta(presentEvents.meta)
    .input(presentEvents.input)
    .subscription(async ({ ctx, input: { id, lastEventId } }) =>
      watchPage(ctx, id, await ctx.deps.stores.pages.presentTarget(id), lastEventId, REQUEST),
    ),

  receive: publicProcedure
    .meta(receivePage.meta)
    .input(receivePage.input)
    .output(receivePage.output)
    .query(({ ctx, input }) => showReceivePage(ctx, input.id)),

  receiveEvents: publicProcedure
    .meta(receiveEvents.meta)
    .input(receiveEvents.input)
    .subscription(async ({ ctx, input: { id, lastEventId } }) =>
      watchPage(ctx, id, await ctx.deps.stores.pages.receiveTarget(id), lastEventId, OFFER),
    ),
})
