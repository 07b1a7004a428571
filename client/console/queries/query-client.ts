import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { problemOf } from '../problems.js'

const SESSION = ['session']

/** Statuses after which the session is read again: the user was signed out, or has other roles. */
const REFUSED = [401, 403]

function noteRefusal(error: unknown): void {
  if (REFUSED.includes(problemOf(error).status ?? 0))
    void queryClient.invalidateQueries({ queryKey: SESSION, exact: true })
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
