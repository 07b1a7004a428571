import { queryOptions } from '@tanstack/react-query'
import { credence } from '../service.js'

const LIMIT = 200

/** Issuer records that the caller may use, with the default issuer. */
export const issuerRecords = queryOptions({
  queryKey: ['agent', 'issuers'],
  queryFn: ({ signal }) => credence.agent.issuers.query({ limit: LIMIT }, { signal }),
})

export const verifierRecords = queryOptions({
  queryKey: ['agent', 'verifiers'],
  queryFn: ({ signal }) => credence.agent.verifiers.query({ limit: LIMIT }, { signal }),
})
