import { queryOptions } from '@tanstack/react-query'
import { credence, readDocument } from '../service.js'

export const version = queryOptions({
  queryKey: ['service', 'version'],
  queryFn: ({ signal }) => credence.service.version.query({}, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
})

/** What the readiness check answers, ready or not. */
export interface Health {
  readonly status: 'ok' | 'error'
  readonly details: Readonly<Record<string, { readonly status: 'up' | 'degraded' | 'down' }>>
}

export const health = queryOptions({
  queryKey: ['service', 'health'],
  queryFn: async ({ signal }) => (await readDocument('/health/readiness', signal)) as Health,
})
