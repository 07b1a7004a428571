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

/** The status of a credential with the note of its last change. It leaves the cache when the screen no longer shows it. */
export const credentialStatus = (id: string) =>
  queryOptions({
    queryKey: ['credentials', 'status', id],
    queryFn: ({ signal }) => credence.credentials.status.query({ id }, { signal }),
    gcTime: 0,
  })

/** The claims of a credential. They leave the cache when the screen no longer shows them. */
export const credentialContent = (id: string) =>
  queryOptions({
    queryKey: ['credential-content', id],
    queryFn: ({ signal }) => credence.credentials.read.query({ id }, { signal }),
    gcTime: 0,
    retry: false,
  })
