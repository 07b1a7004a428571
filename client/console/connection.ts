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

/** True for statuses that a proxy sends without a reachable service, or that a service sends while it starts or stops. */
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

/** Notes a call without an answer. Then asks the service again until it answers. */
function lost(): void {
  change(true)
  timer ??= setTimeout(ask, PAUSES[attempts++] ?? LAST_PAUSE)
}

/** Whether the service answered the last calls. */
export const connection = {
  heard,
  lost,
  isAway: () => away,
  /** Tries at once, before the next wait ends. */
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
