import { queryOptions } from '@tanstack/react-query'
import type { CredenceOutputs } from '../../index.js'
import { credence, readDocument } from '../service.js'

export const version = queryOptions({
  queryKey: ['service', 'version'],
  queryFn: ({ signal }) => credence.service.version.query({}, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
})

export type Setting = CredenceOutputs['settings']['read']['settings'][number]

/** The configuration of the service. It changes only with a restart. */
export const settings = queryOptions({
  queryKey: ['service', 'settings'],
  queryFn: ({ signal }) => credence.settings.read.query({}, { signal }),
})

/** The answer of the readiness check, ready or not. */
export interface Health {
  readonly status: 'ok' | 'error'
  readonly details: Readonly<Record<string, { readonly status: 'up' | 'degraded' | 'down' }>>
}

export const health = queryOptions({
  queryKey: ['service', 'health'],
  queryFn: async ({ signal }) => (await readDocument('/health/readiness', signal)) as Health,
})
