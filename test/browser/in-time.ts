import { setTimeout as wait } from 'node:timers/promises'

/** What Playwright waits without an end for, so that a browser that hangs is named: the test would only say that it took too long. */
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
