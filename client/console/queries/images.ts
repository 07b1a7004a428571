import { infiniteQueryOptions } from '@tanstack/react-query'
import type { CredenceOutputs } from '../../index.js'
import { credence } from '../service.js'
import { cursorOf, itemsOf, paged } from './pages.js'

export type StoredImage = CredenceOutputs['images']['list']['items'][number]

/** The images that the user reaches, newest first. */
export const storedImages = infiniteQueryOptions({
  queryKey: ['images'],
  queryFn: ({ signal, pageParam }) => credence.images.list.query(cursorOf(pageParam), { signal }),
  ...paged,
  select: (pages): StoredImage[] => itemsOf(pages),
})
