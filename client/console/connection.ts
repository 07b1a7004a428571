import { serviceAddress } from './address.js'

/** Waits between attempts to reach the service, in milliseconds. The last wait repeats. */
const PAUSES = [1_000, 2_000, 4_000, 8_000] as const
const LAST_PAUSE = 15_000
/** The longest wait for an answer, in milliseconds. */
const LONGEST_WAIT = 10_000

let away = false
let attempts = 0
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

function change(now: boolean): void {
  if (away === now) return
  away = now
  for (const listener of listeners) listener()
}

/**
 * True for the statuses that a proxy sends if it cannot reach the service, or that the service sends while it starts or
 * stops.
 */
const isAway = (status: number) => status === 502 || status === 503 || status === 504

async function ask(): Promise<void> {
  timer = undefined
  try {
    const signal = AbortSignal.timeout(LONGEST_WAIT)
    heard((await fetch(serviceAddress('/health/readiness'), { signal, headers: { 'x-console': '1' } })).status)
  } catch {
    lost()
  }
}

/** Notes that the service answered with a status. */
function heard(status: number): void {
  if (isAway(status)) {
    lost()
    return
  }
  clearTimeout(timer)
  timer = undefined
  attempts = 0
  change(false)
}

/** Notes that a call got no answer. Then asks the service again until the service answers. */
function lost(): void {
  change(true)
  timer ??= setTimeout(ask, PAUSES[attempts++] ?? LAST_PAUSE)
}

/** Whether the service answered the latest calls. */
export const connection = {
  heard,
  lost,
  isAway: () => away,
  /** Asks the service at once, without waiting for the next attempt. Resolves when the attempt has ended. */
  ask: (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    return ask()
  },
  /** Asks the service, and resolves when the service answers. */
  answered: async (): Promise<void> => {
    await connection.ask()
    if (!away) return
    await new Promise<void>((resolve) => {
      const listener = () => {
        listeners.delete(listener)
        resolve()
      }
      listeners.add(listener)
    })
  },
  subscribe: (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}
