import { rpcAnswer } from './answer.js'

/** The part of `fetch` that the client uses. */
export type Fetch = (input: string | URL, init: RequestInit) => Promise<Response>

/** A token, or a function that returns a valid token. */
export type TokenSource = string | (() => string | undefined | Promise<string | undefined>)

export interface Credentials {
  readonly accessToken: TokenSource | undefined
  readonly clientSecret: string | undefined
  readonly fetch: Fetch
}

/** The `fetch` that the links and the EventSource ponyfill expect. */
export type Send = (address: string | URL | Request, request?: SentRequest) => Promise<Response>

interface SentRequest {
  readonly method?: string | undefined
  readonly body?: unknown
  readonly headers?: ConstructorParameters<typeof Headers>[0]
  readonly signal?: AbortSignal | null | undefined
}

/**
 * A `fetch` that adds the caller's credentials. It converts every failed response to a response of the RPC protocol,
 * also failures of the rate limit or of a proxy.
 */
export function credentialed({ accessToken, clientSecret, fetch }: Credentials): Send {
  return async (address, { method, body, headers, signal } = {}) => {
    const sent = new Headers(headers)
    const token = typeof accessToken === 'function' ? await accessToken() : accessToken
    if (token !== undefined && token !== '') sent.set('authorization', `Bearer ${token}`)
    if (clientSecret !== undefined && clientSecret !== '') sent.set('x-client-secret', clientSecret)
    const response = await fetch(address as string | URL, {
      ...(method === undefined ? {} : { method }),
      ...(typeof body === 'string' ? { body } : {}),
      ...(signal === undefined ? {} : { signal }),
      headers: sent,
      // If `fetch` followed a redirect, it would send x-client-secret to a different address.
      redirect: 'manual',
    })
    return response.ok ? response : rpcAnswer(response)
  }
}
