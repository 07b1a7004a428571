import { onlyLooks } from '../../api/context.js'
import { listed } from '../../api/paging.js'
import { changingLists, procedure, readingPrimary, router } from '../../api/trpc.js'
import { creatorIn } from '../../auth/rights.js'
import type { Formats } from '../../formats/registry.js'
import { readEvidence } from '../evidence/evidence.contract.js'
import type { EvidenceKeeping } from '../evidence/evidence.js'
import { readSessionChecks } from './checks.contract.js'
import type { SessionChecks } from './checks.js'
import {
  eraseVerificationSession,
  listVerificationSessions,
  readVerificationResult,
  readVerificationSession,
  verificationSessionEvents,
} from './verification-sessions.contract.js'
import type { VerificationSessions } from './verification-sessions.js'

export const verificationSessionsRouter = (
  formats: Formats,
  sessions: VerificationSessions,
  checks: SessionChecks,
  evidence: Pick<EvidenceKeeping, 'read'>,
) =>
  router({
    list: procedure(listVerificationSessions)
      .use(readingPrimary(sessions.listStore))
      .query(({ ctx, input }) =>
        listed(
          ctx,
          input,
          (store, part) =>
            store.page(
              { state: input.state, creator: creatorIn(ctx.reach, input.mine), ...sessions.wanted(input) },
              part,
            ),
          sessions.listed,
        ),
      ),

    read: procedure(readVerificationSession).query(({ ctx: { caller }, input }) =>
      sessions.read(caller, input.sessionId),
    ),

    checks: procedure(readSessionChecks).query(({ ctx: { reach }, input }) => checks.read(reach, input.sessionId)),

    events: procedure(verificationSessionEvents).subscription(({ ctx: { caller, request }, input }) =>
      sessions.watch({ sessionId: input.sessionId, lastEventId: input.lastEventId, caller, signal: request.signal }),
    ),

    erase: procedure(eraseVerificationSession)
      .use(changingLists)
      .mutation(({ ctx: { reach }, input }) => sessions.erase(reach, input.sessionId)),

    result: procedure(readVerificationResult(formats)).query(({ ctx: { request, reach }, input }) =>
      sessions.result({ reach, onlyLooks: onlyLooks(request) }, input.sessionId, input.response_code),
    ),

    evidence: procedure(readEvidence).query(({ ctx: { request, reach }, input }) =>
      evidence.read({ reach, onlyLooks: onlyLooks(request) }, input.sessionId),
    ),
  })
