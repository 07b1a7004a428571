import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { session } from '../queries/session.js'
import { refresher } from './refresh.js'
import { followChanges } from './shared-stream.js'

/** Reads the data on the screen again after each change at the service, as long as a user is signed in. */
export function useChanges(isLoggedIn: boolean): void {
  const client = useQueryClient()
  useEffect(() => {
    if (!isLoggedIn) return
    const leaving = new AbortController()
    followChanges(
      {
        onChange: refresher(client, leaving.signal),
        onEnded: () => void client.invalidateQueries({ queryKey: session.queryKey }),
      },
      leaving.signal,
    )
    return () => leaving.abort()
  }, [client, isLoggedIn])
}
