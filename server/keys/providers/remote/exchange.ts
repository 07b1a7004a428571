import { decodeJson } from '../../../outbound/content.js'
import type { OutboundFetch } from '../../../outbound/guard.js'
import { OutboundError, type OutboundErrorCode } from '../../../outbound/outbound-error.js'
import { ProviderRefusal, ProviderUnavailable } from '../provider.js'

/** The limit for an answer. A key, a signature or a token has a few thousand bytes. */
const MAX_BYTES = 65_536

/**
 * The limit of the guard, in milliseconds. The signal of the call ends earlier. This limit only replaces the guard's
 * usual limit, which may be shorter than the limit of the provider.
 */
const LONGEST_MS = 120_000

/** The answer of a provider with a status below 500, except 429. */
export interface ProviderAnswer {
  readonly status: number
  readonly ok: boolean
  readonly headers: Headers
  readonly text: string
}

export interface ProviderRequest {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}

/** Sends requests to one service and names the service in every error. */
export interface Exchange {
  /** For messages, such as `AWS KMS of the key provider hsm`. */
  readonly service: string
  /**
   * Sends one request.
   *
   * @throws {ProviderUnavailable} if there is no complete answer, or a redirect, a 408, a 429 or a status from 500.
   * @throws {ProviderRefusal} if the address may not be requested.
   */
  send(url: string, request: ProviderRequest): Promise<ProviderAnswer>
}

/** Failures of the guard that a repeated request would have again. */
const LASTING: ReadonlySet<OutboundErrorCode> = new Set(['url', 'scheme', 'own-path', 'address'])

/** Values that this service sends in headers (RFC 9110 §5.5). */
const IN_HEADER = /^[\x20-\x7e]*$/

const isPassing = (status: number) =>
  status === 408 || status === 429 || status >= 500 || (status >= 300 && status < 400)

/**
 * @param service the name of the service in messages
 * @param fetch the guarded fetch of the provider
 */
export function createExchange(service: string, fetch: OutboundFetch): Exchange {
  const failure = (error: unknown) => {
    if (!(error instanceof OutboundError)) return error
    const message = `${service} cannot be reached: ${error.message}`
    return LASTING.has(error.code) ? new ProviderRefusal(message) : new ProviderUnavailable(message)
  }
  return {
    service,
    async send(url, { method, headers, body, signal }) {
      // The error of `fetch` would quote the value, which may be a token.
      if (!Object.values(headers).every((value) => IN_HEADER.test(value)))
        throw new ProviderRefusal(
          `${service} cannot be asked: a token or name has characters that HTTP does not allow.`,
        )
      try {
        const limits = { maxBytes: MAX_BYTES, timeoutMs: LONGEST_MS }
        const init = { method, headers, signal, redirect: 'manual', ...limits } as const
        const response = await fetch(url, body === undefined ? init : { ...init, body })
        const { status, ok, headers: received } = response
        const answer = { status, ok, headers: received, text: await response.text() }
        if (isPassing(status)) throw new ProviderUnavailable(`${service} answered with ${described(answer)}.`)
        return answer
      } catch (error) {
        throw failure(error)
      }
    },
  }
}

/** An error code in the form of the four providers. Any other text of an answer could hold a secret. */
const CODE = /^[A-Za-z][A-Za-z0-9_.-]{0,99}$/

/** A code for messages and comparisons; undefined for every other text. */
export const codeOf = (value: unknown): string | undefined =>
  typeof value === 'string' && CODE.test(value) ? value : undefined

/** The status and the codes of a refusal, for messages: `status 403 (AccessDeniedException)`. */
export function described(
  { status }: Pick<ProviderAnswer, 'status'>,
  ...codes: readonly (string | undefined)[]
): string {
  const known = codes.filter((code) => code !== undefined)
  return `status ${status}${known.length === 0 ? '' : ` (${known.join(', ')})`}`
}

/** A JSON object of an answer. @throws {ProviderUnavailable} if the answer is none. */
export function objectIn({ text }: Pick<ProviderAnswer, 'text'>, service: string): Readonly<Record<string, unknown>> {
  const value = parsed(text, service)
  if (isObject(value)) return value
  throw new ProviderUnavailable(`${service} answered with something that is no JSON object.`)
}

function parsed(text: string, service: string): unknown {
  try {
    return decodeJson(text, service)
  } catch {
    return undefined
  }
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A member of an answer that is an object; empty if the answer has no such object. */
export const membersOf = (
  value: Readonly<Record<string, unknown>>,
  name: string,
): Readonly<Record<string, unknown>> => {
  const member = value[name]
  return isObject(member) ? member : {}
}

/** The member of an answer, which must be a text. @throws {ProviderUnavailable} if it is none. */
export function textIn(value: Readonly<Record<string, unknown>>, name: string, service: string): string {
  const member = value[name]
  if (typeof member === 'string' && member !== '') return member
  throw new ProviderUnavailable(`${service} answered without a text ${name}.`)
}

/** Octets in base64 with padding (RFC 4648 §4). @throws {ProviderUnavailable} for any other text. */
export function base64In(value: Readonly<Record<string, unknown>>, name: string, service: string): Uint8Array {
  const text = textIn(value, name, service)
  const octets = Buffer.from(text, 'base64')
  if (octets.toString('base64') === text) return octets
  throw new ProviderUnavailable(`${service} answered with a ${name} that is not in base64.`)
}
