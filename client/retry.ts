import type { Fetch } from './request.js'

/** The header that makes a repeated call safe (draft-ietf-httpapi-idempotency-key-header-07). */
export const IDEMPOTENCY_KEY = 'idempotency-key'

/** The longest pause before the first retry, in milliseconds. It doubles with each retry. */
const FIRST_PAUSE_MS = 250

/** The longest pause without `Retry-After`, in milliseconds. */
const LONGEST_PAUSE_MS = 4_000

/** The longest `Retry-After` for which a call waits, in seconds. */
const LONGEST_RETRY_AFTER = 30

/** Statuses of overload, of a proxy without a service, and of a service that starts or stops. */
const RETRIED: ReadonlySet<number> = new Set([429, 502, 503])

/** 409 with `Retry-After`: an equal request is running, for example the one whose connection broke. */
const isRetried = ({ status, headers }: Response): boolean =>
  RETRIED.has(status) || (status === 409 && headers.has('retry-after'))

/** Random characters for a key. `crypto.randomUUID` is missing on pages without TLS. */
export function newKey(): string {
  const octets = crypto.getRandomValues(new Uint8Array(16))
  return [...octets].map((octet) => octet.toString(16).padStart(2, '0')).join('')
}

/** A key as the header has it: a String of RFC 9651 §3.3.3. */
export const keyHeader = (key: string): string => `"${key.replace(/["\\]/g, '\\$&')}"`

/** Milliseconds that `Retry-After` names, in seconds or as a date (RFC 9110 §10.2.3); undefined without the header. */
function retryAfter({ headers }: Response): number | undefined {
  const text = headers.get('retry-after')
  if (text === null) return undefined
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

/** A random pause, so that clients that failed together do not try again together. */
const pauseBefore = (retry: number): number =>
  Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** retry) * (0.5 + Math.random() / 2)

/** Waits. @throws the reason of the signal, if the call is aborted meanwhile */
const sleep = (ms: number, signal: AbortSignal | null | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    if (signal?.aborted === true) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })

/** A response whose body was read. A connection that breaks within the body is thus a failed try. */
async function whole(response: Response): Promise<Response> {
  if (response.status < 200 || response.body === null) return response
  const { status, statusText, headers } = response
  return new Response(await response.text(), { status, statusText, headers })
}

/**
 * A `fetch` that repeats a request with `Idempotency-Key` after a broken connection, 429, 502 or 503. It never repeats
 * another request.
 *
 * @param retries how often a request is repeated at most
 */
export function retrying(fetch: Fetch, retries: number): Fetch {
  return async (address, request) => {
    if (!new Headers(request.headers).has(IDEMPOTENCY_KEY)) return fetch(address, request)
    for (let retry = 0; ; retry += 1) {
      const isLast = retry >= retries
      try {
        const response = await whole(await fetch(address, request))
        const wanted = retryAfter(response)
        if (isLast || !isRetried(response) || (wanted ?? 0) > LONGEST_RETRY_AFTER * 1_000) return response
        await sleep((wanted ?? 0) + pauseBefore(retry), request.signal)
      } catch (thrown) {
        if (isLast || request.signal?.aborted === true) throw thrown
        await sleep(pauseBefore(retry), request.signal)
      }
    }
  }
}
