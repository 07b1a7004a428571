import { errors } from '../../api/errors.js'
import type { Caller } from '../../auth/caller.js'
import { creatorIn, type Reach } from '../../auth/rights.js'
import type { Events } from '../../events/stream.js'
import { type NameIndex, namesView } from '../../names/names.js'
import type { Work } from '../../protocol/work.js'
import type { OfferSessionListStore } from '../openid4vci/sessions/list-store.js'
import { sessionView } from '../openid4vci/sessions/session.js'
import type { FoundSession, OfferSessionStore } from '../openid4vci/sessions/store.js'
import type { OffersAgain } from './again/again.js'
import type { MakeBatch } from './batch/create-batch.js'
import type { MakeOffer } from './create.js'
import type { Decider, Decisions } from './decide.js'

/** Dependencies of {@link createCredentialOffers}. */
export interface CredentialOffersPorts {
  readonly store: Pick<OfferSessionStore, 'find'>
  readonly list: Pick<OfferSessionListStore, 'page'>
  readonly events: Pick<Events, 'stream'>
  readonly create: MakeOffer
  readonly createMany: MakeBatch
  readonly decisions: Decisions
  readonly again: OffersAgain
  readonly names: Pick<NameIndex, 'wanted'>
}

/** The reader of a session's event stream, with the id of the last event that it received, if any. */
export interface Follower {
  readonly caller: Caller
  readonly reach: Reach
  readonly lastEventId?: string | number | undefined
  readonly signal: AbortSignal
}

export type CredentialOffers = ReturnType<typeof createCredentialOffers>

/** Credential offers, each with one redemption, and their sessions. */
export function createCredentialOffers(ports: CredentialOffersPorts) {
  const { store, list, events, create, createMany, decisions, again, names } = ports

  /** A session that the caller reaches. Any other session is unknown. */
  const reachedSession = async (id: string, reach: Reach): Promise<FoundSession> => {
    const session = await store.find(id, creatorIn(reach))
    if (session === undefined) throw errors.credentialOfferSessionNotFound()
    return session
  }

  return {
    list,
    /** The hashes for the filters of the list by names. */
    wanted: names.wanted,
    create,
    createMany,
    again,

    /** A session with its creator. @throws 500 for an unknown session, or a session that the caller does not reach */
    async session(reach: Reach, id: string) {
      const session = await reachedSession(id, reach)
      return { ...sessionView(session), createdBy: session.createdBy }
    },

    /** See {@link Decisions.approve}. */
    approve: async (by: Decider, decision: Parameters<Decisions['approve']>[1], work: Work) =>
      sessionView(await decisions.approve(by, decision, work)),

    undecided: decisions.undecided,

    /** See {@link Decisions.decideMany}. */
    decideMany: async (...input: Parameters<Decisions['decideMany']>) => ({
      outcomes: [...(await decisions.decideMany(...input))],
    }),

    /** See {@link Decisions.reject}. */
    reject: async (by: Decider, decision: Parameters<Decisions['reject']>[1]) =>
      sessionView(await decisions.reject(by, decision)),

    /** The event stream of a session. @throws 500 for an unknown session, or a session that the caller does not reach */
    follow: (id: string, { caller, reach, lastEventId, signal }: Follower) =>
      events.stream({
        sessionId: id,
        lastEventId,
        caller,
        signal,
        current: async () => {
          const session = await reachedSession(id, reach)
          return { seq: session.seq, data: sessionView(session), also: namesView(session.names) }
        },
      }),
  }
}
