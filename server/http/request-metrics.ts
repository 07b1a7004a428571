import type { AnyRouter } from '@trpc/server'
import type { RequestHandler, Response } from 'express'
import type { Metrics } from '../metrics/metrics.js'
import { REFERENCE_PATHS } from './api-reference.js'

/** One procedure call of a request. `status` is set if the call has a different status than the response. */
interface Call {
  readonly procedure: string
  status?: number
}

/** The label for all requests that reach no procedure. */
export const NO_PROCEDURE = 'none'

/**
 * Records the procedures that a request calls: one over REST, up to ten over RPC. An unknown name counts as
 * NO_PROCEDURE.
 */
export function noteCalls(response: Response, procedures: readonly string[]): void {
  response.locals.calls = procedures.map((procedure): Call => ({ procedure }))
}

/** Records that a call of a batch failed. The call has its own status, and the response has the status of the batch. */
export function noteFailedCall(response: Response, procedure: string, status: number): void {
  const calls: Call[] = response.locals.calls ?? []
  const call = calls.find((candidate) => candidate.procedure === procedure && candidate.status === undefined)
  if (call !== undefined) call.status = status
}

/** The calls to count for a request that reached no procedure. */
const withoutProcedure = (path: string): Call[] => [
  { procedure: REFERENCE_PATHS.has(path) ? 'api-docs' : NO_PROCEDURE },
]

/** Counts each request after its answer, and each call of a batch separately. */
export function requestMetrics(metrics: Metrics, router: AnyRouter): RequestHandler {
  const procedures: Record<string, { _def: { type: string } }> = router._def.procedures
  const isStream = (name: string) => procedures[name]?._def.type === 'subscription'
  return (request, response, next) => {
    const started = performance.now()
    const { path } = request
    response.on('close', () => {
      const seconds = (performance.now() - started) / 1000
      const calls: Call[] = response.locals.calls ?? withoutProcedure(path)
      const answered = calls.length === 1 ? response.statusCode : 200
      for (const { procedure, status } of calls) {
        const stream = isStream(procedure)
        // It is normal for a stream that the client disconnects, so this is not counted as a failure.
        const outcome = response.writableFinished || stream ? String(status ?? answered) : 'aborted'
        metrics.request(procedure, outcome, stream ? undefined : seconds)
      }
    })
    next()
  }
}
