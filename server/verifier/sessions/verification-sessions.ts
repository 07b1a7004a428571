import type { z } from 'zod'
import { errors } from '../../api/errors.js'
import type { Caller } from '../../auth/caller.js'
import { rightsOf } from '../../auth/rights.js'
import type { Config } from '../../config/config.js'
import type { BatchDone } from '../../database/batch.js'
import type { Events, StreamOptions } from '../../events/stream.js'
import type { Formats } from '../../formats/registry.js'
import { DAY_SECONDS, dueRows, type MaintenanceTask } from '../../maintenance/task.js'
import type { Metrics } from '../../metrics/metrics.js'
import type { NameIndex, Names } from '../../names/names.js'
import { requestTextsView, type TextsBesideNames } from '../../names/names-store.js'
import type { NewPage } from '../../pages/store.js'
import type { DcqlQuery } from '../../protocol/openid4vp/dcql/dcql-query.js'
import { shownAsks } from './asks.js'
import type { DeclineStore, PageDecision } from './decline-store.js'
import type { ListedSession, VerificationSessionListStore } from './list-store.js'
import { createEraseResult, createReadResult } from './result.js'
import type { Session, SessionView } from './session.js'
import type { ShownSession, VerificationSessionStore } from './store.js'
import type { listVerificationSessions, zVerificationSession } from './verification-sessions.contract.js'

type SessionJson = z.output<typeof zVerificationSession>

type ListedJson = z.input<typeof listVerificationSessions.output>['items'][number]

/** A verification session as a list shows it, without what its request asks for and without its failed check. */
export const shownListedSession = ({
  errorMessage,
  createdBy,
  createdAt,
  expiresAt,
  endedAt,
  claimsErasedAt,
  names,
  purpose,
  dcqlQuery: _dcqlQuery,
  failedCheck: _failedCheck,
  ...session
}: ListedSession): ListedJson => ({
  ...session,
  ...requestTextsView({ names, purpose }),
  ...(errorMessage === null ? {} : { errorMessage }),
  ...(createdBy === null ? {} : { createdBy }),
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
  ...(endedAt === null ? {} : { endedAt: endedAt.toISOString() }),
  ...(claimsErasedAt === null ? {} : { claimsErasedAt: claimsErasedAt.toISOString() }),
})

/** Dependencies of {@link createVerificationSessions}. */
export interface VerificationSessionsPorts {
  readonly store: VerificationSessionStore
  readonly declines: DeclineStore
  readonly listStore: VerificationSessionListStore
  readonly config: Pick<
    Config,
    'issuerBaseUrl' | 'issuerRole' | 'sessionResultTtlSeconds' | 'sessionRetentionDays' | 'verifierRole'
  >
  /** The credential formats, which read the queries of requests. */
  readonly formats: Pick<Formats, 'named'>
  readonly names: NameIndex
  readonly clock: () => Date
  readonly events: Pick<Events, 'stream'>
  readonly metrics: Pick<Metrics, 'verificationSession'>
}

/** The names and the purpose of a new request. */
type NamedRequest = Names & Pick<TextsBesideNames, 'purpose'>

export type VerificationSessions = ReturnType<typeof createVerificationSessions>

/** Sessions of authorization requests: their storage, events and results. */
export function createVerificationSessions({
  store,
  declines,
  listStore,
  config,
  formats,
  names,
  clock,
  events,
  metrics,
}: VerificationSessionsPorts) {
  /** Whether a caller sees the names and the purpose of a session: its creator and operators do. */
  const seesNames = ({ sub, roles }: Caller, { createdBy }: ShownSession): boolean =>
    createdBy === sub || rightsOf(roles, config).mayVerify

  /** The current session: the same JSON as in its newest event, so that reads and events never disagree. */
  const current = async (caller: Caller, sessionId: string) => {
    const shown = await store.shown(sessionId)
    if (shown === undefined) throw errors.verificationSessionNotFound()
    const also = seesNames(caller, shown) ? requestTextsView(shown) : {}
    // The statement reads the JSON that `add` has stored.
    return { seq: shown.seq, data: { ...(shown.data as SessionJson), ...also }, also }
  }

  const expire = async (now: Date, limit: number, id?: string): Promise<BatchDone> => {
    const expired = await store.expire(now, limit, id)
    metrics.verificationSession('expired', undefined, expired.count)
    return expired
  }

  /** Tasks that expire open sessions, delete results, and later delete the sessions. */
  const tasks: readonly MaintenanceTask[] = [
    dueRows({ name: 'expire verification sessions', everyMs: 1_000, batch: expire }),
    dueRows({
      name: 'forget verified claims',
      everyMs: 15_000,
      seconds: config.sessionResultTtlSeconds,
      batch: (endedBefore, limit) => store.forgetResults(endedBefore, clock(), limit),
    }),
    dueRows({
      name: 'remove ended verification sessions',
      everyMs: 600_000,
      seconds: config.sessionRetentionDays * DAY_SECONDS,
      batch: store.removeEnded,
    }),
  ]

  return {
    listStore,

    /** The types and claims that a request asks for, without the values that it requires. */
    asksOf: (query: DcqlQuery) => shownAsks({ formats, config }, query),

    /** An entry of the list: the session, and what its request asks for. */
    listed: (session: ListedSession): ListedJson => ({
      ...shownListedSession(session),
      ...(session.dcqlQuery === null ? {} : { asks: shownAsks({ formats, config }, session.dcqlQuery) }),
      ...(session.failedCheck === null ? {} : { failedCheck: session.failedCheck }),
    }),

    /** The hashes for the filters of the list by names. */
    wanted: names.wanted,

    tasks,

    /** @throws 500 for an unknown session. */
    read: async (caller: Caller, sessionId: string): Promise<SessionJson> => (await current(caller, sessionId)).data,

    /** A session as callers see it, with the number of its newest event; undefined for an unknown session. */
    latest: store.latest,

    /** The events of a session: its state at once, then every change. */
    watch: (asked: Omit<StreamOptions<SessionJson>, 'current' | 'caller'> & { readonly caller: Caller }) =>
      events.stream({ ...asked, current: () => current(asked.caller, asked.sessionId) }),

    /** The verified claims of a session, for callers who may read the claims. */
    result: createReadResult({ store, clock, config }),

    /** Erases the verified claims of a session. @throws 403 for a caller who may not read them, 500 for an unknown session */
    erase: createEraseResult({ store, clock }),

    /** Stores a new session, and its page if it has a page. @param view the session's JSON, which is the first event */
    async add(session: Session, view: SessionView, page?: NewPage, given: NamedRequest = {}): Promise<void> {
      await store.insert(session, view, page, names.hashed(given), given.purpose)
      metrics.verificationSession('created')
    },

    /** The session of a request; undefined for an unknown request. */
    byRequest: store.byRequest,

    /** Names, logos and links of a verifier, for its requests. */
    verifierFace: store.verifierFace,

    /** The session of a request that a wallet fetches. The first fetch before the request expires is a transition. */
    retrieve: store.retrieve,

    /** Replaces the secrets of an open session. */
    replaceSecrets: store.replaceSecrets,

    /**
     * Ends a session.
     *
     * @returns the id of its page, if any; undefined if the session had ended before; then nothing changed
     */
    end: store.end,

    /**
     * Ends the session of a share page whose holder declines in the first browser of the page.
     *
     * @returns where the person continues; undefined if the session had ended, or for another browser; then nothing changed
     */
    async decline(decision: PageDecision): Promise<{ readonly redirectUri: string | null } | undefined> {
      const declined = await declines.decline(decision, clock())
      if (declined !== undefined) metrics.verificationSession('declined')
      return declined
    },

    /** Ends one open session if it has expired. The maintenance job does the same within a second. */
    expireNow: (id: string, now: Date): Promise<BatchDone> => expire(now, 1, id),

    /** The content of a QR code; undefined for an unknown id. */
    byQrCode: store.byQrCode,

    /** @returns whether the QR code existed. */
    deleteQrCode: store.deleteQrCode,

    /** The session for a new share page. */
    ofPage: store.ofPage,
  }
}
