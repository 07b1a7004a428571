import { QueryClient } from '@tanstack/react-query'

/**
 * What was asked is shown at once when it is asked again, and read anew behind that. Nothing is tried again here: while the
 * service is away the connection watches for it and reads all anew, and any other refusal will be the same again.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: false, staleTime: 5_000, networkMode: 'always' },
    mutations: { retry: false, networkMode: 'always' },
  },
})
