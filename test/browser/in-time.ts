import { setTimeout as wait } from 'node:timers/promises'

/**
 * Limits an action that Playwright would await forever. The error names the browser action that hangs; without it, only the
 * test's timeout shows.
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
