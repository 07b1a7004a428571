import type { TRPCClientError, TRPCLink } from '@trpc/client'
import { observable } from '@trpc/server/observable'
import type { FetchLike, FetchLikeResponse } from 'eventsource'
import type { Send } from './request.js'
import type { AppRouter } from './router.js'

/** The wait after a 429 without `Retry-After`. */
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

/** An error as the RPC protocol sends it on a stream, where an EventSource would keep its status alone. */
async function asEvent(response: Response): Promise<FetchLikeResponse> {
  const body: unknown = await response.json()
  const { error } = (Array.isArray(body) ? body[0] : body) as { error: unknown }
  return new Response(`event: serialized-error\ndata: ${JSON.stringify(error)}\n\n`, {
    headers: { 'content-type': 'text/event-stream' },
  })
}

/** The `fetch` of the EventSource ponyfill. Connecting again counts as a request, so a 429 is waited out. */
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

/** Something between the client and the service, or a service that is just starting or stopping. */
const isPassing = (error: TRPCClientError<AppRouter>) =>
  error.data === undefined || error.data === null || [502, 503, 504].includes(error.data.httpStatus)

/**
 * Ends a subscription that the service refuses. Left alone, one whose id is unknown (500) would be asked for again
 * every three seconds.
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
