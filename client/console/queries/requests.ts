import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query'
import { credence } from '../service.js'
import { cursorOf, itemsOf, paged } from './pages.js'
import type { NewRequest, SessionFilters, VerificationState } from './shapes.js'

/** Saved VP queries, newest first. The service returns at most 1,000. */
export const vpQueries = queryOptions({
  queryKey: ['vp-queries'],
  queryFn: ({ signal }) => credence.vpQueries.list.query({}, { signal }),
})

/** One saved VP query. */
export const vpQuery = (id: string) =>
  queryOptions({
    queryKey: ['vp-queries', id],
    queryFn: ({ signal }) => credence.vpQueries.read.query({ id }, { signal }),
  })

/** Verification sessions of all callers, newest first. */
export const verificationSessions = (filters: SessionFilters<VerificationState>) =>
  infiniteQueryOptions({
    queryKey: ['verification-sessions', 'list', filters],
    queryFn: ({ signal, pageParam }) =>
      credence.verificationSessions.list.query({ ...filters, ...cursorOf(pageParam) }, { signal }),
    ...paged,
    select: itemsOf,
  })

/** The result of a session. It is read as soon as the session is verified. */
export const verificationResult = (sessionId: string) =>
  queryOptions({
    queryKey: ['verification-sessions', 'result', sessionId],
    queryFn: ({ signal }) => credence.verificationSessions.result.query({ sessionId }, { signal }),
  })

/** Creates a request with a share page, and keeps the page's address in memory. */
export async function ask(client: QueryClient, request: NewRequest): Promise<string> {
  const { verificationSessionId: id, pageUrl } = await credence.authorizationRequests.create.mutate({
    ...request,
    page: true,
  })
  const key = pageKey(id)
  client.setQueryDefaults(key, { gcTime: Number.POSITIVE_INFINITY, staleTime: Number.POSITIVE_INFINITY })
  client.setQueryData(key, pageUrl)
  void client.invalidateQueries({ queryKey: ['verification-sessions', 'list'] })
  return id
}

const pageKey = (id: string) => ['verification-sessions', 'page', id]

/** The share page of a request that was created in this window; undefined for other requests and after a reload. */
export const pageOf = (client: QueryClient, id: string): string | undefined => client.getQueryData(pageKey(id))

/**
 * The credentials that a session asks for, and the checks of its answer.
 *
 * @param isOver whether the session has ended; the checks of an ended session are read anew
 */
export const sessionChecks = (sessionId: string, isOver: boolean) =>
  queryOptions({
    queryKey: ['verification-sessions', 'checks', sessionId, isOver],
    queryFn: ({ signal }) => credence.verificationSessions.checks.query({ sessionId }, { signal }),
  })
