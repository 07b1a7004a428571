import type { Log } from '../log/log.js'
import type { Metrics } from '../metrics/metrics.js'
import type { Outbound } from '../outbound/guard.js'
import { type Attempt, attempt } from './attempt.js'
import type { ContentStore } from './content-store.js'
import { BATCH, type Claimed, type OutboxStore, type TryEnd } from './outbox-store.js'
import { bodiesOf } from './payload.js'
import { nextTry } from './schedule.js'
import type { WebhookSecrets } from './secrets.js'
import { signedHeaders } from './signing.js'
import type { WebhookStore } from './store.js'

/** Tries that one process makes at the same time. Each try uses a slot of a webhook. */
const MOST_TRIES = 32

/** Milliseconds for which no other process takes an event that this process took. A try takes at most 15 seconds. */
const LEASE_MS = 60_000

/** Milliseconds after which a slot begins no further event. So a slot ends long before its lease. */
const SLOT_MS = 2_000

/** Interval in which an idle process looks for due events, in milliseconds. */
const IDLE_MS = 1_000

/** The shortest interval between two looks, in milliseconds. It limits the statements under load. */
const LEAST_MS = 20

/** The same if any webhook is active: other processes make transitions, and not each transition wakes the worker. */
const ACTIVE_MS = 150

/** The same if events were delivered in the last seconds. */
const BUSY_MS = 50
const BUSY_FOR_MS = 5_000

/** Milliseconds for which a stopping process waits for its tries. */
const STOP_MS = 2_000

/** Pause after a failed statement, in milliseconds. */
const RETRY_MS = 1_000

/** An event that this process took, with its body. */
interface ToTry {
  readonly claimed: Claimed
  readonly body: string
}

/** Gives an event back that was not sent. */
const unsent = ({ claimed: { webhookId, subject, slot, event } }: ToTry): TryEnd => ({
  ...{ webhookId, subject, slot, last: false, outcome: 'unsent' },
  id: event.id,
  at: event.at,
})

/** Dependencies of {@link createDelivery}. */
export interface DeliveryPorts {
  readonly outbox: Pick<OutboxStore, 'take' | 'record'>
  readonly isAnyActive: WebhookStore['isAnyActive']
  readonly content: Pick<ContentStore, 'read'>
  readonly secrets: Pick<WebhookSecrets, 'reveal'>
  readonly outbound: Pick<Outbound, 'fetch'>
  readonly metrics: Pick<Metrics, 'webhookTry'>
  readonly clock: () => Date
  readonly log: Pick<Log, 'warn'>
}

/** Delivers events as long as the process runs, from its start on. */
export interface Delivery {
  start(): void
  /** Looks for due events now, because a transition was stored. It does nothing if no webhook is active. */
  wake(): void
  /** Looks now, because a webhook may have become active. */
  activated(): void
  /** Waits a short time for running tries, and records them. A try that takes longer is made again by another process. */
  stop(): Promise<void>
}

/**
 * Makes the worker that delivers events. It takes events in short statements and holds no database connection while a receiver
 * answers. If the process is killed during a try, another process sends the event again after the lease.
 */
export function createDelivery(ports: DeliveryPorts): Delivery {
  const { outbox, isAnyActive, content, secrets, outbound, metrics, clock, log } = ports
  const running = new Set<Promise<void>>()
  let ended: TryEnd[] = []
  let anyActive = false
  /** When it was last asked whether any webhook is active. */
  let askedAt = Number.NEGATIVE_INFINITY
  /** Failed tries do not count, so a dead receiver costs few looks. */
  let deliveredAt = Number.NEGATIVE_INFINITY
  let lookedAt = Number.NEGATIVE_INFINITY
  /**
   * The shortest interval between a look and the next transition that wakes the worker. It doubles with each look that
   * finds nothing, so a dead receiver, or a webhook with rare events, does not cost a look for each transition.
   */
  let wakeMs = LEAST_MS
  let isStarted = false
  const stopping = new AbortController()
  /** One controller for each try: a signal that lives as long as the process would collect the listeners of all tries. */
  const tries = new Set<AbortController>()
  let timer: NodeJS.Timeout | undefined
  let turning: Promise<void> | undefined

  const endOf = (claimed: Claimed, { delivered, gone, ...shown }: Attempt, triedAt: Date): Omit<TryEnd, 'last'> => {
    const { webhookId, subject, slot, tries, event } = claimed
    const nextAt = delivered ? undefined : nextTry(tries + 1, triedAt)
    return {
      webhookId,
      subject,
      slot,
      id: event.id,
      at: event.at,
      outcome: delivered ? 'delivered' : nextAt === undefined ? 'failed' : 'retry',
      triedAt: triedAt.toISOString(),
      ...(nextAt === undefined ? {} : { nextAt: nextAt.toISOString() }),
      ...shown,
      ...(gone ? { gone } : {}),
    }
  }

  /** Makes one try. @returns undefined if the process stopped meanwhile */
  const send = async (claimed: Claimed, body: string): Promise<Omit<TryEnd, 'last'> | undefined> => {
    const now = clock()
    const abort = new AbortController()
    tries.add(abort)
    let result: Attempt
    try {
      const { id } = claimed.event
      const headers = signedHeaders(await secrets.reveal(claimed.webhookId, claimed.secret), { id, body, now })
      result = await attempt(outbound, claimed.url, { headers, body }, abort.signal)
    } catch (thrown) {
      // The receiver may have got the event. Another process sends it again after the lease.
      if (abort.signal.aborted) return undefined
      // A delivery without a signature must not be sent, for example if the secret cannot be decrypted.
      log.warn({ webhookId: claimed.webhookId, err: thrown }, 'webhook delivery could not be sent')
      result = { delivered: false, gone: false, milliseconds: 0, error: 'The delivery could not be signed or sent.' }
    } finally {
      tries.delete(abort)
    }
    return endOf(claimed, result, clock())
  }

  /** Sends the events of one slot, one after the other. After a failed try, the rest is given back. */
  const useSlot = async (events: readonly ToTry[]): Promise<void> => {
    const until = performance.now() + SLOT_MS
    for (const [index, { claimed, body }] of events.entries()) {
      const end = await send(claimed, body)
      if (end === undefined) return
      const { outcome } = end
      if (outcome !== 'unsent') metrics.webhookTry(outcome)
      if (outcome === 'delivered') deliveredAt = performance.now()
      const rest = events.slice(index + 1)
      const last = rest.length === 0 || outcome !== 'delivered' || performance.now() > until || stopping.signal.aborted
      ended.push({ ...end, last })
      schedule(0)
      if (last) {
        ended.push(...rest.map(unsent))
        return
      }
    }
  }

  const begin = (events: readonly ToTry[]): void => {
    const trying = useSlot(events).finally(() => {
      running.delete(trying)
      schedule(0)
    })
    running.add(trying)
  }

  /** Stores how tries ended. Tries of locked lines stay for the next turn. */
  const recordEnded = async (): Promise<void> => {
    if (ended.length === 0) return
    const batch = ended
    ended = []
    try {
      const later = new Set(await outbox.record(batch))
      ended.push(...batch.filter(({ id }) => later.has(id)))
    } catch (thrown) {
      ended.push(...batch)
      throw thrown
    }
  }

  const look = async (): Promise<void> => {
    const free = MOST_TRIES - running.size
    // A slow database bounds the tries that are not recorded yet.
    if (free <= 0 || ended.length >= MOST_TRIES * BATCH) return
    const now = clock()
    const claimed = await outbox.take(now, new Date(now.getTime() + LEASE_MS), free)
    wakeMs = claimed.length === 0 ? Math.min(2 * wakeMs, ACTIVE_MS) : LEAST_MS
    if (claimed.length === 0) return
    const bodies = await bodiesOf(content, claimed)
    const bySlot = new Map<string, ToTry[]>()
    for (const [index, one] of claimed.entries()) {
      const name = `${one.webhookId} ${one.slot}`
      bySlot.set(name, [...(bySlot.get(name) ?? []), { claimed: one, body: bodies[index] ?? '' }])
    }
    for (const events of bySlot.values()) begin(events)
  }

  const turn = async (): Promise<void> => {
    lookedAt = performance.now()
    await recordEnded()
    if (stopping.signal.aborted) return
    if (performance.now() - askedAt >= IDLE_MS) {
      anyActive = await isAnyActive()
      askedAt = performance.now()
    }
    if (anyActive) await look()
  }

  const run = async (): Promise<void> => {
    try {
      await turn()
      const isBusy = performance.now() - deliveredAt < BUSY_FOR_MS
      schedule(ended.length > 0 ? LEAST_MS : isBusy ? BUSY_MS : anyActive ? ACTIVE_MS : IDLE_MS)
    } catch (thrown) {
      if (!stopping.signal.aborted) log.warn({ err: thrown }, 'webhooks cannot be delivered')
      schedule(RETRY_MS)
    }
  }

  /** Time of the timer; undefined without a timer. There is no timer during a turn. */
  let timerAt: number | undefined
  /** Time of the next turn, wanted during a turn. */
  let wantedAt: number | undefined

  const arm = (at: number): void => {
    if (!isStarted || stopping.signal.aborted || (timerAt !== undefined && timerAt <= at)) return
    clearTimeout(timer)
    timerAt = at
    timer = setTimeout(
      () => {
        timerAt = undefined
        wantedAt = undefined
        turning = run().finally(() => {
          turning = undefined
          arm(wantedAt ?? performance.now() + IDLE_MS)
        })
      },
      Math.max(0, at - performance.now()),
    )
    timer.unref()
  }

  const schedule = (afterMs: number): void => {
    const at = Math.max(performance.now() + afterMs, lookedAt + LEAST_MS)
    if (turning === undefined) arm(at)
    else wantedAt = Math.min(wantedAt ?? at, at)
  }

  return {
    start: () => {
      isStarted = true
      schedule(IDLE_MS)
    },
    wake: () => {
      if (anyActive) schedule(lookedAt + wakeMs - performance.now())
    },
    activated: () => {
      anyActive = true
      askedAt = performance.now()
      schedule(0)
    },
    async stop() {
      stopping.abort()
      clearTimeout(timer)
      await turning
      const hurry = setTimeout(() => {
        for (const each of tries) each.abort()
      }, STOP_MS)
      await Promise.all(running)
      clearTimeout(hurry)
      await recordEnded().catch((thrown: unknown) => log.warn({ err: thrown }, 'webhook tries were not recorded'))
    },
  }
}
