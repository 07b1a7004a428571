import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { CredenceOutputs } from '../../index.js'
import { credence } from '../service.js'
import { cursorOf, itemsOf, paged } from './pages.js'

export type Batch = CredenceOutputs['offerBatches']['list']['items'][number]

/** Batches of offers, newest first. */
export const batches = infiniteQueryOptions({
  queryKey: ['offers', 'batches', 'list'],
  queryFn: ({ signal, pageParam }) => credence.offerBatches.list.query(cursorOf(pageParam), { signal }),
  ...paged,
  select: itemsOf,
})

/** A batch with the numbers of its offers. */
export const batch = (id: string) =>
  queryOptions({
    queryKey: ['offers', 'batches', 'one', id],
    queryFn: ({ signal }) => credence.offerBatches.read.query({ id }, { signal }),
  })
