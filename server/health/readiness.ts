import type { Health } from '../deps.js'
import type { Log } from '../log.js'
import type { ProtocolReply } from '../protocol/oauth/reply.js'

/** What a request needs, by name, and whether it is there. */
export type Components = Readonly<Record<string, { readonly status: 'up' | 'down' }>>

/** A component that takes longer to say that it is there does not serve requests either. */
const CHECK_TIMEOUT_MS = 3_000

async function isUp(check: () => Promise<unknown>, onFailure: (error: unknown) => void): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('No answer.')), CHECK_TIMEOUT_MS)
  })
  try {
    await Promise.race([check(), late])
    return true
  } catch (err) {
    onFailure(err)
    return false
  } finally {
    clearTimeout(timer)
  }
}

/** Asks every component that a request needs; a process that stops is not ready whatever they say. */
export async function readinessOf(
  { health, log }: { readonly health: Health; readonly log: Log },
  requestId?: string,
): Promise<Components> {
  if (health.stopping()) return { service: { status: 'down' } }
  const answers = Object.entries(health.checks).map(async ([component, check]) => {
    const up = await isUp(check, (err) => log.error({ requestId, component, err }, 'health check failed'))
    return [component, { status: up ? ('up' as const) : ('down' as const) }] as const
  })
  return Object.fromEntries(await Promise.all(answers))
}

/** The interface's health result; when it fails, the envelope's members stand beside it. */
export function healthReply(components: Components, path: string, now: Date): ProtocolReply {
  const entries = Object.entries(components)
  const up = Object.fromEntries(entries.filter(([, { status }]) => status === 'up'))
  const down = Object.fromEntries(entries.filter(([, { status }]) => status === 'down'))
  const names = Object.keys(down)
  const result = { status: names.length === 0 ? 'ok' : 'error', info: up, error: down, details: components }
  const headers = { 'cache-control': 'no-store' }
  if (names.length === 0) return { status: 200, headers, body: result }
  const message = `Health check failed: ${names.join(', ')}.`
  const envelope = { statusCode: 503, message, path, timestamp: now.toISOString() }
  return { status: 503, headers, body: { ...result, ...envelope } }
}
