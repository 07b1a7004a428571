import { errors } from '../../api/errors.js'
import type { Caller } from '../../auth/caller.js'
import type { Events } from '../../events/stream.js'
import type { Work } from '../../protocol/work.js'
import type { OfferSessionListStore } from '../openid4vci/sessions/list-store.js'
import { sessionView } from '../openid4vci/sessions/session.js'
import type { FoundSession, OfferSessionStore } from '../openid4vci/sessions/store.js'
import type { OffersAgain } from './again/again.js'
import type { MakeBatch } from './batch/create-batch.js'
import type { MakeOffer } from './create.js'
import type { Decisions } from './decide.js'

/** Dependencies of {@link createCredentialOffers}. */
export interface CredentialOffersPorts {
  readonly store: Pick<OfferSessionStore, 'find'>
  readonly list: Pick<OfferSessionListStore, 'page'>
  readonly events: Pick<Events, 'stream'>
  readonly create: MakeOffer
  readonly createMany: MakeBatch
  readonly decisions: Decisions
  readonly again: OffersAgain
}

/** The reader of a session's event stream, with the id of the last event that it received, if any. */
export interface Follower {
  readonly caller: Caller
  readonly lastEventId?: string | number | undefined
  readonly signal: AbortSignal
}

export type CredentialOffers = ReturnType<typeof createCredentialOffers>

/** Credential offers, each with one redemption, and their sessions. */
export function createCredentialOffers(ports: CredentialOffersPorts) {
  const { store, list, events, create, createMany, decisions, again } = ports

  /** A session belongs to its creator. For any other caller the session is unknown. */
  const ownSession = async (id: string, sub: string): Promise<FoundSession> => {
    const session = await store.find(id, sub)
    if (session === undefined) throw errors.credentialOfferSessionNotFound()
    return session
  }

  return {
    list,
    create,
    createMany,
    again,

    /** A session of the caller. @throws 500 for an unknown session, or a session of another caller */
    session: async (caller: Caller, id: string) => sessionView(await ownSession(id, caller.sub)),

    /** See {@link Decisions.approve}. */
    approve: async (caller: Caller, decision: Parameters<Decisions['approve']>[1], work: Work) =>
      sessionView(await decisions.approve(caller, decision, work)),

    /** See {@link Decisions.reject}. */
    reject: async (caller: Caller, decision: Parameters<Decisions['reject']>[1]) =>
      sessionView(await decisions.reject(caller, decision)),

    /** The event stream of a session of the caller. @throws 500 for an unknown session, or a session of another caller */
    follow: (id: string, { caller, lastEventId, signal }: Follower) =>
      events.stream({
        sessionId: id,
        lastEventId,
        caller,
        signal,
        current: async () => {
          const session = await ownSession(id, caller.sub)
          return { seq: session.seq, data: sessionView(session) }
        },
      }),
  }
}
