import type { TRPCClientError, TRPCLink } from '@trpc/client'
import { observable } from '@trpc/server/observable'
import type { FetchLike, FetchLikeResponse } from 'eventsource'
import type { Send } from './request.js'
import type { AppRouter } from './router.js'

/** The wait after a 429 without `Retry-After`, in seconds. */
const RETRY_SECONDS = 5

function pause(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    }, seconds * 1000)
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
  })
}

/**
 * Converts a response with an error to an event of a stream, as the RPC protocol defines it. Without this event, an
 * EventSource would report only the status of the error.
 */
async function asEvent(response: Response): Promise<FetchLikeResponse> {
  const body: unknown = await response.json()
  const { error } = (Array.isArray(body) ? body[0] : body) as { error: unknown }
  return new Response(`event: serialized-error\ndata: ${JSON.stringify(error)}\n\n`, {
    headers: { 'content-type': 'text/event-stream' },
  })
}

/**
 * Returns the `fetch` for the EventSource ponyfill. A reconnection counts for the rate limit, so this `fetch` waits
 * after a 429 and tries again.
 */
export function streaming(send: Send): FetchLike {
  return async (url, init) => {
    for (;;) {
      const response = await send(url, init)
      if (response.ok) return response
      if (response.status !== 429) return asEvent(response)
      await pause(Number(response.headers.get('retry-after')) || RETRY_SECONDS, init.signal)
    }
  }
}

/**
 * True if there is no answer, or if the status comes from a proxy or from a service that starts or stops. The client
 * then connects again.
 */
const isPassing = (error: TRPCClientError<AppRouter>) =>
  error.data === undefined || error.data === null || [502, 503, 504].includes(error.data.httpStatus)

/**
 * Ends a subscription that the service refuses. Otherwise the EventSource would repeat the request every three seconds,
 * for example for an unknown id (500).
 */
export function endOnRefusal(): TRPCLink<AppRouter> {
  return () =>
    ({ op, next }) =>
      observable((observer) =>
        next(op).subscribe({
          next: (envelope) => {
            const { result } = envelope
            const error = result.type === 'state' && result.state === 'connecting' ? result.error : null
            if (error !== null && !isPassing(error)) observer.error(error)
            else observer.next(envelope)
          },
          error: (error) => observer.error(error),
          complete: () => observer.complete(),
        }),
      )
}
