import { serviceAddress } from './address.js'

/** Waits between attempts to reach the service, in milliseconds. The last wait repeats. */
const PAUSES = [1_000, 2_000, 4_000, 8_000] as const
const LAST_PAUSE = 15_000

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
    heard((await fetch(serviceAddress('/health/readiness'), { headers: { 'x-console': '1' } })).status)
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
  /** Tries to reach the service at once, without waiting for the next attempt. */
  askNow: () => {
    clearTimeout(timer)
    timer = undefined
    void ask()
  },
  subscribe: (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}
