import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { problemOf } from '../problems.js'

const SESSION = ['session']

/** A 401 may mean that the user was signed out, so the session is read again. */
function noteRefusal(error: unknown): void {
  if (problemOf(error).status === 401) void queryClient.invalidateQueries({ queryKey: SESSION })
}

/**
 * The client for all queries. It shows a cached answer at once and reads the answer again in the background. It does
 * not repeat failed calls. If the service is unreachable, connection.ts waits until it answers, and then all data is
 * read again. After any other failure, a repeated call would fail in the same way.
 */
export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noteRefusal }),
  mutationCache: new MutationCache({ onError: noteRefusal }),
  defaultOptions: {
    queries: { retry: false, staleTime: 5_000, networkMode: 'always' },
    mutations: { retry: false, networkMode: 'always' },
  },
})
