import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { CredenceInputs, CredenceOutputs } from '../../index.js'
import { credence } from '../service.js'

export type TrustList = CredenceOutputs['trustLists']['read']
export type NewTrustList = CredenceInputs['trustLists']['add']
export type ListEntity = CredenceOutputs['trustLists']['entities']['items'][number]
export type ListService = ListEntity['services'][number]
export type Explained = CredenceOutputs['trustLists']['explain']
export type ToExplain = CredenceInputs['trustLists']['explain']

/** The trusted lists: the lists of the configuration first, then the added lists. The service has at most 200. */
export const trustLists = queryOptions({
  queryKey: ['trust', 'lists'],
  queryFn: async ({ signal }) => (await credence.trustLists.list.query({}, { signal })).items,
})

export const trustList = (id: string) =>
  queryOptions({
    queryKey: ['trust', 'list', id],
    queryFn: ({ signal }) => credence.trustLists.read.query({ id }, { signal }),
  })

/** Entities of a list in the order of the list. @param name only entities with this text in a name */
export const listEntities = (id: string, name: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ['trust', 'list entities', id, name ?? ''],
    queryFn: ({ signal, pageParam }) =>
      credence.trustLists.entities.query(
        { id, after: pageParam, ...(name === undefined ? {} : { search: name }) },
        { signal },
      ),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next,
    select: ({ pages }): ListEntity[] => pages.flatMap(({ items }) => items),
  })
