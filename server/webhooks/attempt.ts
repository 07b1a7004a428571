import type { Outbound } from '../outbound/guard.js'
import { OutboundError } from '../outbound/outbound-error.js'

/** Milliseconds for one try, from the connection to the end of the answer. */
const TRY_MS = 15_000

/** Octets of an answer that are read at most. */
const MAX_ANSWER_BYTES = 64 * 1024

/** Characters of an answer that are stored. */
const STORED_CHARACTERS = 1_000

/** How one try ended. */
export interface Attempt {
  readonly delivered: boolean
  /** The receiver answered 410: it wants no more deliveries. */
  readonly gone: boolean
  readonly status?: number
  readonly milliseconds: number
  readonly answer?: string
  /** Why it failed, in one sentence. */
  readonly error?: string
}

/** The beginning of an answer as text that PostgreSQL can store: without NUL characters and half surrogate pairs. */
const storedText = (octets: ArrayBuffer): string =>
  new TextDecoder()
    .decode(octets)
    .replaceAll('\0', '')
    .slice(0, STORED_CHARACTERS)
    .replace(/[\uD800-\uDBFF]$/, '')

/**
 * Sends one message. The outbound guard checks the address for each connection. A redirect is a failure.
 *
 * @param signal ends the try; then the function throws the reason of the signal
 */
export async function attempt(
  outbound: Pick<Outbound, 'fetch'>,
  url: string,
  { headers, body }: { readonly headers: Record<string, string>; readonly body: string },
  signal?: AbortSignal,
): Promise<Attempt> {
  const began = performance.now()
  const took = () => Math.round(performance.now() - began)
  try {
    const response = await outbound.fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers,
      body,
      maxBytes: MAX_ANSWER_BYTES,
      cutBody: true,
      timeoutMs: TRY_MS,
      ...(signal === undefined ? {} : { signal }),
    })
    const { status } = response
    const answer = storedText(await response.arrayBuffer())
    const base = { status, milliseconds: took(), answer, gone: status === 410 }
    if (response.ok) return { ...base, delivered: true }
    const isRedirect = status >= 300 && status < 400
    const { host } = new URL(url)
    const error = isRedirect ? `${host} answered with a redirect.` : `${host} answered with status ${status}.`
    return { ...base, delivered: false, error }
  } catch (thrown) {
    if (!(thrown instanceof OutboundError)) throw thrown
    return { delivered: false, gone: false, milliseconds: took(), error: thrown.message }
  }
}
