import { setTimeout as sleep } from 'node:timers/promises'
import type { Fetch } from '../../client/request.js'

const UNTOLD_SECONDS = 5

/** Returns a `fetch` that repeats a request after a 429. It first waits for the time that `Retry-After` names. */
export function patient(onWait: (seconds: number) => void): Fetch {
  return async (address, init) => {
    for (;;) {
      const response = await fetch(address, init)
      if (response.status !== 429) return response
      await response.body?.cancel()
      const seconds = Number(response.headers.get('retry-after')) || UNTOLD_SECONDS
      onWait(seconds)
      await sleep(seconds * 1000, undefined, init.signal ? { signal: init.signal } : {})
    }
  }
}
