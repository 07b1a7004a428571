import type { z } from 'zod'
import { errors } from '../../api/errors.js'
import type { Config } from '../../config/config.js'
import type { BatchDone } from '../../database/batch.js'
import type { Events, StreamOptions } from '../../events/stream.js'
import { DAY_SECONDS, dueRows, type MaintenanceTask } from '../../maintenance/task.js'
import type { Metrics } from '../../metrics/metrics.js'
import type { NewPage } from '../../pages/store.js'
import type { PresentationChecks } from '../presentations/presentation-error.js'
import { NOT_REACHED, PASSED } from '../verify/check-done.js'
import type { readSessionChecks } from './checks.contract.js'
import type { ListedSession, VerificationSessionListStore } from './list-store.js'
import { createEraseResult, createReadResult } from './result.js'
import type { Session, SessionView } from './session.js'
import type { VerificationSessionStore } from './store.js'
import type { listVerificationSessions, zVerificationSession } from './verification-sessions.contract.js'

type SessionJson = z.output<typeof zVerificationSession>
type ShownChecks = z.input<typeof readSessionChecks.output>

/** A verification session as the list shows it. */
export const shownListedSession = ({
  errorMessage,
  createdBy,
  createdAt,
  expiresAt,
  endedAt,
  claimsErasedAt,
  ...session
}: ListedSession): z.input<typeof listVerificationSessions.output>['items'][number] => ({
  ...session,
  ...(errorMessage === null ? {} : { errorMessage }),
  ...(createdBy === null ? {} : { createdBy }),
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
  ...(endedAt === null ? {} : { endedAt: endedAt.toISOString() }),
  ...(claimsErasedAt === null ? {} : { claimsErasedAt: claimsErasedAt.toISOString() }),
})

/** Recorded checks in the form of the API, each with its sentence. */
const shownChecks = (checks: readonly PresentationChecks[]): ShownChecks['checks'] =>
  checks.flatMap(({ credentialQueryId, passed, failed, notReached = [] }) => {
    const of = credentialQueryId === null ? {} : { credentialQueryId }
    return [
      ...passed.map((check) => ({ ...of, check, outcome: 'passed' as const, message: PASSED[check] })),
      ...(failed === null ? [] : [{ ...of, check: failed.check, outcome: 'failed' as const, message: failed.message }]),
      ...notReached.map((check) => ({ ...of, check, outcome: 'not-reached' as const, message: NOT_REACHED })),
    ]
  })

/** Dependencies of {@link createVerificationSessions}. */
export interface VerificationSessionsPorts {
  readonly store: VerificationSessionStore
  readonly listStore: VerificationSessionListStore
  readonly config: Pick<Config, 'sessionResultTtlSeconds' | 'sessionRetentionDays'>
  readonly clock: () => Date
  readonly events: Pick<Events, 'stream'>
  readonly metrics: Pick<Metrics, 'verificationSession'>
}

export type VerificationSessions = ReturnType<typeof createVerificationSessions>

/** Sessions of authorization requests: their storage, events and results. */
export function createVerificationSessions({
  store,
  listStore,
  config,
  clock,
  events,
  metrics,
}: VerificationSessionsPorts) {
  /** The current session: the same JSON as in its newest event, so that reads and events never disagree. */
  const current = async (sessionId: string): Promise<{ seq: number; data: SessionJson }> => {
    const latest = await store.latest(sessionId)
    if (latest === undefined) throw errors.verificationSessionNotFound()
    return latest as { seq: number; data: SessionJson }
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
    tasks,

    /** @throws 500 for an unknown session. */
    read: async (sessionId: string): Promise<SessionJson> => (await current(sessionId)).data,

    /** A session as callers see it, with the number of its newest event; undefined for an unknown session. */
    latest: store.latest,

    /** The checks of a session's answer. @throws 500 for an unknown session. */
    async checks(sessionId: string): Promise<ShownChecks> {
      const found = await store.checks(sessionId)
      if (found === undefined) throw errors.verificationSessionNotFound()
      const { state, errorMessage, checks } = found
      return {
        verificationSessionId: sessionId,
        state,
        ...(errorMessage === null ? {} : { errorMessage }),
        checks: shownChecks(checks ?? []),
      }
    },

    /** The events of a session: its state at once, then every change. */
    watch: (asked: Omit<StreamOptions<SessionJson>, 'current'>) =>
      events.stream({ ...asked, current: () => current(asked.sessionId) }),

    /** The verified claims of a session, for callers who may read the claims. */
    result: createReadResult({ store, clock, config }),

    /** Erases the verified claims of a session. @throws 403 for a caller who may not read them, 500 for an unknown session */
    erase: createEraseResult({ store, clock }),

    /** Stores a new session, and its page if it has a page. @param view the session's JSON, which is the first event */
    async add(session: Session, view: SessionView, page?: NewPage): Promise<void> {
      await store.insert(session, view, page)
      metrics.verificationSession('created')
    },

    /** The session of a request; undefined for an unknown request. */
    byRequest: store.byRequest,

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
