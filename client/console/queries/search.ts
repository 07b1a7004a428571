import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { CredenceOutputs } from '../../index.js'
import { credence } from '../service.js'

/** A thing that the service found. */
export type Found = CredenceOutputs['search']['find']['items'][number]

/** The things that a text finds; the previous answer until the new answer arrives. @param q empty for no search */
export const found = (q: string) =>
  queryOptions({
    queryKey: ['search', q],
    queryFn: ({ signal }) => credence.search.find.query({ q }, { signal }),
    enabled: q !== '',
    placeholderData: keepPreviousData,
  })
