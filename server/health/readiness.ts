import type { Log } from '../log/log.js'
import { inTime } from '../outbound/in-time.js'
import { isObject } from '../protocol/json/json-object.js'
import type { ProtocolReply } from '../protocol/oauth/reply.js'

/** `degraded`: the component does not work, but requests are served without it. */
type Status = 'up' | 'degraded' | 'down'

/** The status of each component that is needed for requests, by the name of the component. */
export type Components = Readonly<Record<string, { readonly status: Status; readonly reason?: string }>>

/** The sources of the readiness check. */
export interface Health {
  /** True if the process has received a signal to stop. */
  stopping(): boolean
  /**
   * A check for each component. If a check rejects, its component is down and requests cannot be served. If a check
   * returns `degraded`, requests are served without the component. `{ degraded }` also names the reason. If a check returns
   * `absent`, the installation has no such component.
   */
  readonly checks: Readonly<Record<string, () => Promise<unknown>>>
}

/** Time limit for a check, in milliseconds. A component whose check takes longer counts as unavailable. */
const CHECK_TIMEOUT_MS = 3_000

async function statusOf(
  check: () => Promise<unknown>,
  onFailure: (error: unknown) => void,
): Promise<Components[string] | undefined> {
  try {
    const answer = await inTime(check(), CHECK_TIMEOUT_MS)
    if (answer === 'absent') return undefined
    if (isObject(answer) && typeof answer.degraded === 'string') return { status: 'degraded', reason: answer.degraded }
    return { status: answer === 'degraded' ? 'degraded' : 'up' }
  } catch (err) {
    onFailure(err)
    return { status: 'down' }
  }
}

/** Checks all components that requests need. A process that is stopping is never ready. */
export async function readinessOf(
  { health, log }: { readonly health: Health; readonly log: Pick<Log, 'error'> },
  requestId?: string,
): Promise<Components> {
  if (health.stopping()) return { service: { status: 'down' } }
  const answers = Object.entries(health.checks).map(async ([component, check]) => {
    const state = await statusOf(check, (err) => log.error({ requestId, component, err }, 'health check failed'))
    return state === undefined ? [] : [[component, state] as const]
  })
  return Object.fromEntries((await Promise.all(answers)).flat())
}

/** Makes the health result of the API. A failed result also has the members of the error envelope. */
export function healthReply(components: Components, path: string, now: Date): ProtocolReply {
  const entries = Object.entries(components)
  const serving = Object.fromEntries(entries.filter(([, { status }]) => status !== 'down'))
  const down = Object.fromEntries(entries.filter(([, { status }]) => status === 'down'))
  const names = Object.keys(down)
  const result = { status: names.length === 0 ? 'ok' : 'error', info: serving, error: down, details: components }
  const headers = { 'cache-control': 'no-store' }
  if (names.length === 0) return { status: 200, headers, body: result }
  const message = `Health check failed: ${names.join(', ')}.`
  const envelope = { statusCode: 503, message, path, timestamp: now.toISOString() }
  return { status: 503, headers, body: { ...result, ...envelope } }
}
