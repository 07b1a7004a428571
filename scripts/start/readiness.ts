import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Resolves when the service answers that it is ready. It sends its first request when the service accepts connections,
 * and then two requests a second. It sends so few, because every request counts for the rate limit.
 */
export async function untilReady(origin: string, signal: AbortSignal): Promise<void> {
  const { hostname, port } = new URL(origin)
  while (!(await accepts(hostname.replace(/^\[|\]$/g, ''), Number(port)))) await sleep(50, undefined, { signal })
  while (!(await isReady(origin, signal))) await sleep(500, undefined, { signal })
}

async function accepts(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port })
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

async function isReady(origin: string, signal: AbortSignal): Promise<boolean> {
  try {
    return (await fetch(`${origin}/health/readiness`, { signal })).ok
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof TypeError) return false
    throw error
  }
}

/**
 * Posts the demonstration schema, as any client would. It does not post the schema again if an earlier start has posted
 * it, because the log would warn of the refusal.
 *
 * @returns null if the service has the schema, now or from an earlier start; otherwise the service's answer
 */
export async function seed(origin: string, file: string): Promise<string | null> {
  const schema: { name: string } = JSON.parse(await readFile(file, 'utf8'))
  if (await isListed(origin, schema.name)) return null
  const response = await fetch(`${origin}/schemas`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(schema),
  })
  return response.ok || response.status === 409 ? null : `${response.status} ${await response.text()}`
}

async function isListed(origin: string, name: string): Promise<boolean> {
  const response = await fetch(`${origin}/api/v1/schemas?name=${name}&limit=1`)
  if (!response.ok) return false
  const { items } = (await response.json()) as { items?: unknown[] }
  return items?.length === 1
}
