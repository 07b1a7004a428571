import { useEffect, useState } from 'react'
import type { SubscriptionCallbacks, Tracked } from '../../index.js'

interface Watched<Data> {
  /** The last event from the service. */
  readonly data: Data | undefined
  /** All events since the subscription began, newest last, each event once. */
  readonly all: readonly Data[]
  /** Why it refuses to say more. */
  readonly error: unknown
}

/** Where a subscription begins that tells everything from the first event on. */
export const BEFORE_THE_FIRST = '0'

/** More than any session has. */
const MOST_KEPT = 100

/**
 * Follows a subscription for as long as the part is drawn.
 *
 * @param key tells one subscription from another; undefined: nothing is subscribed to
 */
export function useEvents<Data>(
  key: string | undefined,
  subscribe: (key: string, callbacks: SubscriptionCallbacks<Tracked<Data>>) => { unsubscribe(): void },
): Watched<Data> {
  const [events, setEvents] = useState<readonly Tracked<Data>[]>([])
  const [error, setError] = useState<unknown>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key alone says what is subscribed to.
  useEffect(() => {
    setEvents([])
    setError(undefined)
    if (key === undefined) return
    const { unsubscribe } = subscribe(key, {
      onData: (event) => {
        setError(undefined)
        // After a lost connection the last event may come again.
        setEvents((seen) => [...seen.filter(({ id }) => id !== event.id), event].slice(-MOST_KEPT))
      },
      onError: setError,
    })
    return unsubscribe
  }, [key])
  return { data: events.at(-1)?.data, all: events.map(({ data }) => data), error }
}
