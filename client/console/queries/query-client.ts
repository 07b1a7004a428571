import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { problemOf } from '../problems.js'

const SESSION = ['session']

/** Whoever was refused as a stranger may have been logged out meanwhile. */
function noteRefusal(error: unknown): void {
  if (problemOf(error).status === 401) void queryClient.invalidateQueries({ queryKey: SESSION })
}

/**
 * What was asked is shown at once when it is asked again, and read anew behind that. Nothing is tried again here: while the
 * service is away the connection watches for it and reads all anew, and any other refusal will be the same again.
 */
export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noteRefusal }),
  mutationCache: new MutationCache({ onError: noteRefusal }),
  defaultOptions: {
    queries: { retry: false, staleTime: 5_000, networkMode: 'always' },
    mutations: { retry: false, networkMode: 'always' },
  },
})
