import { createCredenceClient, type Fetch } from '../index.js'
import { serviceUrl } from './address.js'
import { connection } from './connection.js'
import { isSomebodyThere } from './presence.js'

/**
 * Every call of the console has the header `x-console`. A page of another site cannot set it without a preflight request, and the
 * session's cookie is valid only with it. Reads without an active user have `x-console-idle`, and do not extend the session.
 */
const consoleFetch: Fetch = async (address, request) => {
  const headers = new Headers(request.headers)
  headers.set('x-console', '1')
  if ((request.method ?? 'GET') === 'GET' && !isSomebodyThere()) headers.set('x-console-idle', '1')
  try {
    const response = await fetch(address, { ...request, headers })
    connection.heard(response.status)
    return response
  } catch (error) {
    if (request.signal?.aborted !== true) connection.lost()
    throw error
  }
}

/** The service, by the names of its procedures. */
export const credence = createCredenceClient({ url: serviceUrl, fetch: consoleFetch })

/** A client for slow calls. Calls of one client that start together share a request, so all of them wait for the slowest call. */
export const slowCredence = createCredenceClient({ url: serviceUrl, fetch: consoleFetch })

const addressOf = (path: string): URL => new URL(path.replace(/^\//, ''), serviceUrl)

/** Reads a document by its path. Resolves with its JSON, whatever the status. */
export async function readDocument(path: string, signal: AbortSignal): Promise<unknown> {
  return (await consoleFetch(addressOf(path), { signal, headers: { accept: 'application/json' } })).json()
}

/**
 * Opens a file by its path. Its body can be read while the service sends it.
 *
 * @throws an error with the sentence of the service, if the service refuses the file
 */
export async function openFile(path: string, signal: AbortSignal): Promise<Response> {
  const response = (await consoleFetch(addressOf(path), { signal })) as Response
  if (response.ok) return response
  const { message } = (await response.json().catch(() => ({}))) as { message?: string | string[] }
  throw new Error([message ?? `Status ${response.status}`].flat().join(' '))
}
