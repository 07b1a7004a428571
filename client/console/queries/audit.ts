import { infiniteQueryOptions } from '@tanstack/react-query'
import type { CredenceInputs } from '../../index.js'
import { credence } from '../service.js'
import { cursorOf, itemsOf, paged } from './pages.js'

type Filters = Omit<NonNullable<CredenceInputs['audit']['list']>, 'cursor' | 'limit'>

/** Audit events, newest first. */
export const auditEvents = (filters: Filters) =>
  infiniteQueryOptions({
    queryKey: ['audit', filters],
    queryFn: ({ signal, pageParam }) => credence.audit.list.query({ ...filters, ...cursorOf(pageParam) }, { signal }),
    ...paged,
    select: itemsOf,
  })
