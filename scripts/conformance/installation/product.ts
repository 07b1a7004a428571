import type { Ask } from '../trusting-fetch.js'

/** The service's REST interface, for the run. */
export interface Product {
  readonly url: string
  /** Posts a body. @returns the answer's body. @throws {Error} with the service's answer if the status is not 2xx */
  post<Body>(path: string, body: unknown): Promise<Body>
  get<Body>(path: string): Promise<Body>
  /** Posts a body. @returns status and body of the answer, also of a failure */
  tried(path: string, body: unknown): Promise<{ readonly status: number; readonly body: Record<string, unknown> }>
}

export function productAt(url: string, ask: Ask): Product {
  const call = async (method: string, path: string, body?: unknown) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json' }
    const answer = await ask(`${url}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: answer.status, text: await answer.text() }
  }
  const wanted = async (method: string, path: string, body?: unknown) => {
    const { status, text } = await call(method, path, body)
    if (status < 200 || status > 299) throw new Error(`${method} ${path} was answered ${status}: ${text}`)
    return JSON.parse(text)
  }
  return {
    url,
    // The caller knows the type of the answer from the contract of the path.
    post: <Body>(path: string, body: unknown) => wanted('POST', path, body) as Promise<Body>,
    get: <Body>(path: string) => wanted('GET', path) as Promise<Body>,
    tried: async (path, body) => {
      const { status, text } = await call('POST', path, body)
      return { status, body: JSON.parse(text) as Record<string, unknown> }
    },
  }
}
