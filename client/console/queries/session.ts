import { queryOptions } from '@tanstack/react-query'
import { problemOf } from '../problems.js'
import { credence } from '../service.js'

/** Who uses the console: anybody (AUTH_DISABLED), or nobody that the service knows. */
export interface Session {
  readonly mode: 'open' | 'none'
}

export const session = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }): Promise<Session> => {
    try {
      await credence.agent.issuers.query({ limit: 1 }, { signal })
      return { mode: 'open' }
    } catch (error) {
      const { status } = problemOf(error)
      if (status === 401 || status === 403) return { mode: 'none' }
      throw error
    }
  },
})
