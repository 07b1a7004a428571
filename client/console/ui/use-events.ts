import { useEffect, useState } from 'react'
import type { SubscriptionCallbacks, Tracked } from '../../index.js'

interface Watched<Data> {
  /** What the service said last. */
  readonly data: Data | undefined
  /** Why it refuses to say more. */
  readonly error: unknown
}

const NOTHING = { data: undefined, error: undefined }

/**
 * Follows a subscription for as long as the part is drawn.
 *
 * @param key tells one subscription from another; undefined: nothing is subscribed to
 */
export function useEvents<Data>(
  key: string | undefined,
  subscribe: (key: string, callbacks: SubscriptionCallbacks<Tracked<Data>>) => { unsubscribe(): void },
): Watched<Data> {
  const [watched, setWatched] = useState<Watched<Data>>(NOTHING)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key alone says what is subscribed to.
  useEffect(() => {
    setWatched(NOTHING)
    if (key === undefined) return
    const { unsubscribe } = subscribe(key, {
      onData: ({ data }) => setWatched({ data, error: undefined }),
      onError: (error) => setWatched(({ data }) => ({ data, error })),
    })
    return unsubscribe
  }, [key])
  return watched
}
