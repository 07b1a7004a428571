import { setTimeout as wait } from 'node:timers/promises'

/**
 * Limits the time of an action for which Playwright would wait forever. The error names the action that hangs. Without
 * this error, a test would only report its own time-out.
 */
export async function inTime<Done>(what: string, done: Promise<Done>): Promise<Done> {
  const ended = new AbortController()
  const late = wait(30_000, undefined, { signal: ended.signal }).then(() => {
    throw new Error(`${what} took longer than 30 seconds`)
  })
  late.catch(() => {})
  try {
    return await Promise.race([done, late])
  } finally {
    ended.abort()
  }
}
