import { createCredenceClient, type Fetch } from '../index.js'
import { serviceUrl } from './address.js'
import { connection } from './connection.js'
import { isSomebodyThere } from './presence.js'

/**
 * Every call of the console has the header `x-console`. A page of another site cannot set this header without a
 * preflight request, and the session's cookie is valid only with this header. Reads while no user is active have the
 * header `x-console-idle`, and do not extend the session.
 */
const fetchThat =
  (heard: (status: number) => void): Fetch =>
  async (address, request) => {
    const headers = new Headers(request.headers)
    headers.set('x-console', '1')
    if ((request.method ?? 'GET') === 'GET' && !isSomebodyThere()) headers.set('x-console-idle', '1')
    try {
      const response = await fetch(address, { ...request, headers })
      heard(response.status)
      return response
    } catch (error) {
      if (request.signal?.aborted !== true) connection.lost()
      throw error
    }
  }

const consoleFetch = fetchThat(connection.heard)

/** The client of the service. */
export const credence = createCredenceClient({ url: serviceUrl, fetch: consoleFetch })

/**
 * A client for slow calls. Calls of one client that start together are sent in one request, so all of them wait for the
 * slowest call.
 */
export const slowCredence = createCredenceClient({ url: serviceUrl, fetch: consoleFetch })

/**
 * A client for slow calls that may need a key provider. If the provider is away, the answer is a 503, although the service answers. The user
 * reads this at once, and tries again if the provider works. So the client repeats no call.
 */
export const keyCredence = createCredenceClient({
  url: serviceUrl,
  fetch: fetchThat((status) => {
    if (status !== 503) connection.heard(status)
  }),
  retries: 0,
})

const addressOf = (path: string): URL => new URL(path.replace(/^\//, ''), serviceUrl)

/** Reads the JSON document at a path. Resolves with the JSON, whatever the HTTP status is. */
export async function readDocument(path: string, signal: AbortSignal): Promise<unknown> {
  return (await consoleFetch(addressOf(path), { signal, headers: { accept: 'application/json' } })).json()
}

/**
 * Requests the file at a path. The body can be read while the service still sends it.
 *
 * @throws an error with the sentence of the service, if the service refuses the file
 */
export async function openFile(path: string, signal: AbortSignal): Promise<Response> {
  const response = (await consoleFetch(addressOf(path), { signal })) as Response
  if (response.ok) return response
  const { message } = (await response.json().catch(() => ({}))) as { message?: string | string[] }
  throw new Error([message ?? `Status ${response.status}`].flat().join(' '))
}
