import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { problemOf } from '../problems.js'

const SESSION = ['session']

/** A 401 may mean that the user was signed out, so the session is read again. */
function noteRefusal(error: unknown): void {
  if (problemOf(error).status === 401) void queryClient.invalidateQueries({ queryKey: SESSION })
}

/**
 * Shows a cached answer at once and reads it again in the background. It does not repeat failed calls. While the service is unreachable,
 * connection.ts waits for it, and then all data is read again. Any other refusal would only be repeated.
 */
export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noteRefusal }),
  mutationCache: new MutationCache({ onError: noteRefusal }),
  defaultOptions: {
    queries: { retry: false, staleTime: 5_000, networkMode: 'always' },
    mutations: { retry: false, networkMode: 'always' },
  },
})
