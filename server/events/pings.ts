import type { ServerResponse } from 'node:http'

const PING = 'event: ping\ndata: keepalive\n\n'

/**
 * Keeps streams alive: each open response gets pings. The responses are spread over groups that get their pings at
 * different times. One timer sends all pings.
 */
export interface Pings {
  /** Pings a response until it closes, and destroys it if its client has stopped reading. */
  add(response: ServerResponse): void
  close(): void
}

/**
 * @param everyMs milliseconds between two pings of a stream; 15,000 by default
 * @param slots number of groups. The pings of different groups are sent at different times.
 */
export function createPings(everyMs = 15_000, slots = 15): Pings {
  const wheel = Array.from({ length: slots }, () => new Set<ServerResponse>())
  const slow = new WeakSet<ServerResponse>()
  let at = 0

  const ping = (response: ServerResponse): void => {
    if (!response.writableNeedDrain) response.write(PING)
    // The client has read nothing since the last ping. More data would only accumulate in memory.
    else if (slow.has(response)) response.destroy()
    else slow.add(response)
  }
  const timer = setInterval(() => {
    at = (at + 1) % slots
    wheel[at]?.forEach(ping)
  }, everyMs / slots)
  timer.unref()

  return {
    add(response) {
      const slot = wheel[at]
      slot?.add(response)
      response.on('drain', () => slow.delete(response))
      response.once('close', () => slot?.delete(response))
    },
    close: () => clearInterval(timer),
  }
}
