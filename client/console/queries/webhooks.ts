import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { CredenceInputs, CredenceOutputs } from '../../index.js'
import { credence } from '../service.js'
import { cursorOf, itemsOf, paged } from './pages.js'

export type Webhook = CredenceOutputs['webhooks']['read']
export type NewWebhook = CredenceInputs['webhooks']['create']
export type Delivery = CredenceOutputs['webhooks']['deliveries']['items'][number]
export type SentTest = CredenceOutputs['webhooks']['test']
export type Outcome = Delivery['outcome']

/** Webhooks that the user may see, newest first. */
export const webhooks = infiniteQueryOptions({
  queryKey: ['webhooks', 'list'],
  queryFn: ({ signal, pageParam }) => credence.webhooks.list.query(cursorOf(pageParam), { signal }),
  ...paged,
  select: (pages): Webhook[] => itemsOf(pages),
})

export const webhook = (id: string) =>
  queryOptions({
    queryKey: ['webhooks', 'one', id],
    queryFn: ({ signal }) => credence.webhooks.read.query({ id }, { signal }),
  })

/** Deliveries of a webhook, newest first. */
export const deliveries = (id: string, outcome: Outcome | undefined) =>
  infiniteQueryOptions({
    queryKey: ['webhooks', 'deliveries', id, outcome ?? ''],
    queryFn: ({ signal, pageParam }) =>
      credence.webhooks.deliveries.query(
        { id, ...(outcome === undefined ? {} : { outcome }), ...cursorOf(pageParam) },
        { signal },
      ),
    ...paged,
    select: (pages): Delivery[] => itemsOf(pages),
  })
