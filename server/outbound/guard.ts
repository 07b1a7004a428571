import { STATUS_CODES } from 'node:http'
import type { ClientCertificate, ConnectRules } from './connect.js'
import { decodeContent, decodeJson, decodeText } from './content.js'
import { startDeadline } from './deadline.js'
import { createDestinations, type DestinationRules } from './destination.js'
import { crossOriginHeaders, requestHeaders, responseHeaders } from './headers.js'
import { OutboundError } from './outbound-error.js'
import { type Answer, type BodyLimit, createTransport, type Hop, type Transport } from './transport.js'

export interface OutboundOptions extends DestinationRules, Pick<ConnectRules, 'lookup' | 'isPublicAddress' | 'ca'> {
  /** Makes the header value that marks a request to an origin of this service. Each request gets a new value. */
  readonly ownRequestMac?: ((method: string, url: URL) => string) | undefined
  /** Limit in milliseconds for a whole request with its redirects. Default: 5000. */
  readonly timeoutMs?: number
  /** Limit in bytes for a body, before and after decompression. Default: 262,144. */
  readonly maxBytes?: number
  /** Limit for redirects. Default: 3. */
  readonly maxRedirects?: number
  /**
   * Called at the end of each request. `outcome` is the class of the status (`2xx`), or the reason why there is no
   * answer.
   */
  readonly onEnd?: (outcome: string) => void
}

/** The options of `fetch`, and the limits and the client certificate of one request. */
export type OutboundRequestInit = RequestInit & RequestLimits

interface RequestLimits {
  /** Limit in bytes for the body, before and after decompression. */
  readonly maxBytes?: number
  /** True if the beginning of a longer body is enough. Default: a longer body is an error. A compressed longer body is left out. */
  readonly cutBody?: boolean
  /** Limit in milliseconds for the whole request. */
  readonly timeoutMs?: number
  /** The certificate with which this service identifies itself (RFC 8446 §4.4.2). */
  readonly clientCertificate?: ClientCertificate | undefined
}

/** A `fetch` that sends its requests through the guard. */
export type OutboundFetch = (input: Parameters<typeof fetch>[0], init?: OutboundRequestInit) => Promise<Response>

/**
 * Sends all outbound requests of this service. Each method throws {@link OutboundError} if a request is refused or
 * fails.
 */
export interface Outbound {
  /**
   * Replaces the standard `fetch`. It reads the whole body before it returns, so that size limit and deadline include the
   * body.
   *
   * Modes of `redirect`: `follow` (GET and HEAD only), `manual` (returns the redirect) and `error`.
   */
  readonly fetch: OutboundFetch
  /** GET of a JSON document with any content type. A status other than 2xx is an error. */
  fetchJson(url: string | URL, options?: FetchJsonOptions): Promise<unknown>
  /** GET of UTF-8 text. A status other than 2xx is an error. */
  fetchText(url: string | URL, options?: FetchTextOptions): Promise<FetchedText>
  /** GET of bytes. A status other than 2xx is an error. */
  fetchBytes(url: string | URL, options?: FetchTextOptions): Promise<Uint8Array>
  /**
   * Checks an address that a caller chose for later requests: scheme, user name, own paths, and whether all its addresses are public. Each
   * later request checks the address again.
   */
  check(url: string): Promise<void>
  /** Waits for open requests, then closes all connections. */
  close(): Promise<void>
}

export interface FetchTextOptions {
  /** Value of the Accept header. */
  readonly accept?: string
  /** Limit in bytes for the body, before and after decompression, if it differs from the usual limit. */
  readonly maxBytes?: number
}

export interface FetchJsonOptions extends FetchTextOptions {
  readonly headers?: Readonly<Record<string, string>>
}

export interface FetchedText {
  readonly text: string
  /** Empty if the answer has no content type. */
  readonly contentType: string
  readonly status: number
}

interface Bounds extends BodyLimit {
  readonly maxRedirects: number
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
/** Fetch standard §2.2.3 "null body status". */
const NULL_BODY: ReadonlySet<number> = new Set([204, 205, 304])
const REPEATABLE: ReadonlySet<string> = new Set(['GET', 'HEAD'])

function parseUrl(text: string, base?: URL): URL {
  if (URL.canParse(text, base?.href)) return new URL(text, base)
  if (base === undefined) throw new OutboundError('url', 'The address is not an absolute URL.')
  throw new OutboundError('redirects', `${base.host} redirects to something that is no address.`)
}

/** Returns the address to which a redirect leads. Undefined if the caller receives the answer itself. */
function redirectTarget({ status, headers }: Answer, request: Request, url: URL): URL | undefined {
  if (!REDIRECTS.has(status) || request.redirect === 'manual' || headers.location === undefined) return undefined
  if (request.redirect === 'error') throw new OutboundError('redirects', `${url.host} answered with a redirect.`)
  // If the redirect was followed, the body would either be sent to an address that the caller did not choose, or be
  // lost.
  if (!REPEATABLE.has(request.method)) {
    throw new OutboundError('redirects', `${url.host} redirects a ${request.method} request, which is not followed.`)
  }
  return parseUrl(String(headers.location), url)
}

function toResponse(
  { status, headers }: Answer,
  bytes: Uint8Array<ArrayBuffer>,
  url: URL,
  redirected: boolean,
): Response {
  if (status < 200 || status > 599) throw new OutboundError('status', `${url.host} answered with an unknown status.`)
  const init = { status, statusText: STATUS_CODES[status] ?? '', headers: responseHeaders(headers) }
  return answered(new Response(NULL_BODY.has(status) ? null : bytes, init), url, redirected)
}

/**
 * Adds the address to a response. Its `json` throws an OutboundError for invalid JSON, because an error of `JSON.parse`
 * would quote the answer.
 */
function answered(response: Response, url: URL, redirected: boolean): Response {
  const { clone } = response
  return Object.defineProperties(response, {
    url: { value: url.href },
    redirected: { value: redirected },
    json: { value: async () => decodeJson(await response.text(), url.host) },
    clone: { value: () => answered(clone.call(response), url, redirected) },
  })
}

/** The decoded body of an answer. If only its beginning is wanted, a body that cannot be decoded is empty. */
async function decodedBody(
  answer: Answer,
  host: string,
  { maxBytes, cut }: BodyLimit,
): Promise<Uint8Array<ArrayBuffer>> {
  const coding = answer.headers['content-encoding']
  try {
    return await decodeContent(answer.bytes, coding, host, maxBytes)
  } catch (thrown) {
    if (!cut) throw thrown
    return new Uint8Array()
  }
}

async function follow(
  transport: Pick<Transport, 'send'>,
  bounds: Bounds,
  request: Request,
  signal: AbortSignal,
): Promise<Response> {
  const body = request.body === null ? null : new Uint8Array(await request.arrayBuffer())
  let hop: Hop = { url: new URL(request.url), headers: requestHeaders(request.headers) }
  for (let redirects = 0; ; redirects++) {
    const answer = await transport.send(hop, request.method, body, signal, bounds)
    const target = redirectTarget(answer, request, hop.url)
    if (target === undefined) {
      return toResponse(answer, await decodedBody(answer, hop.url.host, bounds), hop.url, redirects > 0)
    }
    if (redirects === bounds.maxRedirects) {
      throw new OutboundError('redirects', `${hop.url.host} redirects more than ${bounds.maxRedirects} times.`)
    }
    hop = { url: target, headers: target.origin === hop.url.origin ? hop.headers : crossOriginHeaders(hop.headers) }
  }
}

/**
 * Makes the guard for all outbound requests. The guard allows only https and only public addresses. It checks the
 * address when it connects. It follows redirects itself and checks each redirect. Deadline and size limit apply to the
 * whole request.
 *
 * @throws {Error} with the entry of `allowedHosts` that is neither host nor host:port.
 */
export function createOutbound(options: OutboundOptions): Outbound {
  const { timeoutMs = 5000, maxBytes = 262_144, maxRedirects = 3, onEnd = () => {} } = options
  const destinations = createDestinations(options)
  const transport = createTransport({ ...options, destinations, timeoutMs })

  type Fetch = (
    input: Parameters<Outbound['fetch']>[0],
    init?: RequestInit,
    limits?: RequestLimits,
  ) => Promise<Response>

  const guarded: Fetch = async (input, init, limits = {}) => {
    const limit = limits.timeoutMs ?? timeoutMs
    const url = parseUrl(input instanceof Request ? input.url : String(input))
    // The address is checked before `new Request()`, which would refuse a user name with its own message.
    destinations.check(url)
    const request = new Request(input, init)
    const expired = new OutboundError('timeout', `${url.host} did not answer within ${limit} ms.`)
    const deadline = startDeadline(limit, request.signal, expired)
    const certified = transport.with(limits.clientCertificate)
    try {
      const bounds = { maxBytes: limits.maxBytes ?? maxBytes, cut: limits.cutBody === true, maxRedirects }
      return await follow(certified, bounds, request, deadline.signal)
    } finally {
      deadline.stop()
    }
  }

  const guardedFetch: Fetch = async (input, init, limits) => {
    try {
      const response = await guarded(input, init, limits)
      onEnd(`${Math.floor(response.status / 100)}xx`)
      return response
    } catch (error) {
      onEnd(error instanceof OutboundError ? error.code : 'aborted')
      throw error
    }
  }

  const get = async (
    url: string | URL,
    headers: Headers | Record<string, string>,
    limit?: number,
  ): Promise<Response> => {
    const response = await guardedFetch(url, { headers }, limit === undefined ? {} : { maxBytes: limit })
    if (response.ok) return response
    throw new OutboundError('status', `${new URL(response.url).host} answered with status ${response.status}.`)
  }

  const read = async (response: Response) => decodeText(await response.arrayBuffer(), new URL(response.url).host)

  return {
    fetch: (input, init) => guardedFetch(input, init, init),
    async fetchJson(url, { accept = 'application/json', headers, maxBytes: limit } = {}) {
      const sent = new Headers(headers)
      if (!sent.has('accept')) sent.set('accept', accept)
      const response = await get(url, sent, limit)
      return decodeJson(await read(response), new URL(response.url).host)
    },
    async fetchText(url, { accept = '*/*', maxBytes: limit } = {}) {
      const response = await get(url, { accept }, limit)
      const contentType = response.headers.get('content-type') ?? ''
      return { text: await read(response), contentType, status: response.status }
    },
    async fetchBytes(url, { accept = '*/*', maxBytes: limit } = {}) {
      return new Uint8Array(await (await get(url, { accept }, limit)).arrayBuffer())
    },
    async check(url) {
      const parsed = parseUrl(url)
      destinations.check(parsed)
      await transport.check(parsed)
    },
    close: () => transport.close(),
  }
}
