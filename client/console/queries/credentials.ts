import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { CredenceInputs, CredenceOutputs } from '../../index.js'
import { credence } from '../service.js'
import { cursorOf, itemsOf, paged } from './pages.js'

type Filters = Omit<NonNullable<CredenceInputs['credentials']['list']>, 'cursor' | 'limit'>

/** A credential's record, without claims. */
export type ListedCredential = CredenceOutputs['credentials']['list']['items'][number]
export type History = CredenceOutputs['credentials']['history']

/** Issued credentials, newest first. */
export const credentials = (filters: Filters) =>
  infiniteQueryOptions({
    queryKey: ['credentials', 'list', filters],
    queryFn: ({ signal, pageParam }) =>
      credence.credentials.list.query({ ...filters, ...cursorOf(pageParam) }, { signal }),
    ...paged,
    select: itemsOf,
  })

export const credentialHistory = (id: string) =>
  queryOptions({
    queryKey: ['credentials', 'history', id],
    queryFn: ({ signal }) => credence.credentials.history.query({ id }, { signal }),
  })

/** The claims of a credential. They are removed from the cache when no screen shows them any more. */
export const credentialContent = (id: string) =>
  queryOptions({
    queryKey: ['credential-content', id],
    queryFn: ({ signal }) => credence.credentials.read.query({ id }, { signal }),
    gcTime: 0,
    retry: false,
  })
