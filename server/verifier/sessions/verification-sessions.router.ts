import { onlyLooks } from '../../api/context.js'
import { listed } from '../../api/paging.js'
import { changingLists, procedure, readingPrimary, router } from '../../api/trpc.js'
import type { Formats } from '../../formats/registry.js'
import { readEvidence } from '../evidence/evidence.contract.js'
import type { EvidenceKeeping } from '../evidence/evidence.js'
import { readSessionChecks } from './checks.contract.js'
import {
  eraseVerificationSession,
  listVerificationSessions,
  readVerificationResult,
  readVerificationSession,
  verificationSessionEvents,
} from './verification-sessions.contract.js'
import { shownListedSession, type VerificationSessions } from './verification-sessions.js'

export const verificationSessionsRouter = (
  formats: Formats,
  sessions: VerificationSessions,
  evidence: Pick<EvidenceKeeping, 'read'>,
) =>
  router({
    list: procedure(listVerificationSessions)
      .use(readingPrimary(sessions.listStore))
      .query(({ ctx, input }) =>
        listed(ctx, input, (store, part) => store.page(input.state, part), shownListedSession),
      ),

    read: procedure(readVerificationSession).query(({ input }) => sessions.read(input.sessionId)),

    checks: procedure(readSessionChecks).query(({ input }) => sessions.checks(input.sessionId)),

    events: procedure(verificationSessionEvents).subscription(({ ctx: { caller, request }, input }) =>
      sessions.watch({ sessionId: input.sessionId, lastEventId: input.lastEventId, caller, signal: request.signal }),
    ),

    erase: procedure(eraseVerificationSession)
      .use(changingLists)
      .mutation(({ ctx: { caller, client }, input }) => sessions.erase({ caller, client }, input.sessionId)),

    result: procedure(readVerificationResult(formats)).query(({ ctx: { request, caller, client }, input }) =>
      sessions.result({ caller, client, onlyLooks: onlyLooks(request) }, input.sessionId, input.response_code),
    ),

    evidence: procedure(readEvidence).query(({ ctx: { request, caller, client }, input }) =>
      evidence.read({ caller, client, onlyLooks: onlyLooks(request) }, input.sessionId),
    ),
  })
