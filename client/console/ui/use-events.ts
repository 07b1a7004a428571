import { useEffect, useState } from 'react'
import type { SubscriptionCallbacks, Tracked } from '../../index.js'

interface Watched<Data> {
  /** The last event from the service. */
  readonly data: Data | undefined
  /** All events since the subscription began, newest last, each event once. */
  readonly all: readonly Data[]
  /** The error with which the service ended the subscription. */
  readonly error: unknown
}

/** The `lastEventId` with which a subscription delivers all events, beginning with the first event. */
export const BEFORE_THE_FIRST = '0'

/** Larger than the number of events in any session. */
const MOST_KEPT = 100

/**
 * Follows a subscription as long as the component is drawn.
 *
 * @param key identifies the subscription; undefined for no subscription
 */
export function useEvents<Data>(
  key: string | undefined,
  subscribe: (key: string, callbacks: SubscriptionCallbacks<Tracked<Data>>) => { unsubscribe(): void },
): Watched<Data> {
  const [events, setEvents] = useState<readonly Tracked<Data>[]>([])
  const [error, setError] = useState<unknown>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key alone identifies the subscription.
  useEffect(() => {
    setEvents([])
    setError(undefined)
    if (key === undefined) return
    const { unsubscribe } = subscribe(key, {
      onData: (event) => {
        setError(undefined)
        // After a lost connection the service may send the last event again.
        setEvents((seen) => [...seen.filter(({ id }) => id !== event.id), event].slice(-MOST_KEPT))
      },
      onError: setError,
    })
    return unsubscribe
  }, [key])
  return { data: events.at(-1)?.data, all: events.map(({ data }) => data), error }
}
