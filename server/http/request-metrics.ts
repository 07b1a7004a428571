import type { AnyRouter } from '@trpc/server'
import type { RequestHandler, Response } from 'express'
import type { Metrics } from '../metrics/metrics.js'
import { REFERENCE_PATHS } from './api-reference.js'

/** One call of a request; `status` where it is another than the response's. */
interface Call {
  readonly procedure: string
  status?: number
}

/** Requests that reach no procedure share one label, whatever their paths. */
export const NO_PROCEDURE = 'none'

/** Says which procedures a request calls: one over REST, up to ten over RPC. What is none goes as NO_PROCEDURE. */
export function noteCalls(response: Response, procedures: readonly string[]): void {
  response.locals.calls = procedures.map((procedure): Call => ({ procedure }))
}

/** Says that a call of a batch failed, whose own status is not that of the response. */
export function noteFailedCall(response: Response, procedure: string, status: number): void {
  const calls: Call[] = response.locals.calls ?? []
  const call = calls.find((candidate) => candidate.procedure === procedure && candidate.status === undefined)
  if (call !== undefined) call.status = status
}

/** What is counted where no procedure was reached. */
const withoutProcedure = (path: string): Call[] => [
  { procedure: REFERENCE_PATHS.has(path) ? 'api-docs' : NO_PROCEDURE },
]

/** Counts every request once it is answered, each call of a batch for itself. */
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
        // A stream ends when its reader goes away: that is no failure.
        const outcome = response.writableFinished || stream ? String(status ?? answered) : 'aborted'
        metrics.request(procedure, outcome, stream ? undefined : seconds)
      }
    })
    next()
  }
}
