import type { z } from 'zod'
import { onlyLooks } from '../../api/context.js'
import { errors } from '../../api/errors.js'
import { listed } from '../../api/paging.js'
import { primaryListing, procedure, router } from '../../api/trpc.js'
import type { Deps } from '../../deps.js'
import type { Formats } from '../../formats/registry.js'
import { readSessionChecks } from './checks/checks.contract.js'
import { shownChecks } from './checks/sentences.js'
import { listedSession } from './list/listed-session.js'
import { readResult } from './result.js'
import {
  listVerificationSessions,
  readVerificationResult,
  readVerificationSession,
  verificationSessionEvents,
  type zVerificationSession,
} from './verification-sessions.contract.js'

type SessionJson = z.output<typeof zVerificationSession>

/** A session as it is: the same JSON as in its newest event, so that reads and events never disagree. */
async function current(deps: Pick<Deps, 'stores'>, sessionId: string): Promise<{ seq: number; data: SessionJson }> {
  const latest = await deps.stores.verificationSessions.latest(sessionId)
  if (latest === undefined) throw errors.verificationSessionNotFound()
  return latest as { seq: number; data: SessionJson }
}

export const verificationSessionsRouter = (formats: Formats) => {
  const resultContract = readVerificationResult(formats)
  return router({
    list: procedure(listVerificationSessions)
      .use(primaryListing)
      .query(({ ctx, input }) =>
        listed(
          ctx,
          input,
          ({ verificationSessionList }, part) => verificationSessionList.page(input.state, part),
          listedSession,
        ),
      ),

    read: procedure(readVerificationSession).query(
      async ({ ctx: { deps }, input }) => (await current(deps, input.sessionId)).data,
    ),

    checks: procedure(readSessionChecks).query(async ({ ctx: { deps }, input }) => {
      const found = await deps.stores.verificationSessions.checks(input.sessionId)
      if (found === undefined) throw errors.verificationSessionNotFound()
      const { state, errorMessage, checks } = found
      return {
        verificationSessionId: input.sessionId,
        state,
        ...(errorMessage === null ? {} : { errorMessage }),
        checks: shownChecks(checks ?? []),
      }
    }),

    events: procedure(verificationSessionEvents).subscription(({ ctx: { deps, caller, request }, input }) =>
      deps.events.stream({
        sessionId: input.sessionId,
        current: () => current(deps, input.sessionId),
        lastEventId: input.lastEventId,
        caller,
        signal: request.signal,
      }),
    ),

    result: procedure(resultContract).query(({ ctx: { deps, request, caller, client }, input }) =>
      readResult(deps, { caller, client, onlyLooks: onlyLooks(request) }, input.sessionId, input.response_code),
    ),
  })
}
