import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { session } from '../queries/session.js'
import { refresher } from './refresh.js'
import { followChanges } from './shared-stream.js'

/** Keeps what is on the screen as it is in the service, for as long as somebody is logged in. */
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
