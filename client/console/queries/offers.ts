import { infiniteQueryOptions, type QueryClient } from '@tanstack/react-query'
import type { CredenceInputs, CredenceOutputs } from '../../index.js'
import { credence } from '../service.js'
import { cursorOf, itemsOf, paged } from './pages.js'
import type { OfferState, SessionFilters } from './shapes.js'

export type OfferSession = CredenceOutputs['credentialOffers']['session']
export type NewOffer = CredenceInputs['credentialOffers']['create']
export type NewOffering = CredenceInputs['offerings']['create']

/**
 * A new offer with its link and PIN, which are shown only once. They are only in memory, so a reload of the page loses
 * them.
 */
export interface MadeOffer {
  readonly id: string
  /** The link for a wallet. */
  readonly link: string
  readonly pin: string | undefined
  readonly pageUrl: string | undefined
  /** The redemption limit. An offer for more than one wallet has no session. */
  readonly limit: number
  readonly type: string
  /** Whether the holder must agree in a browser. */
  readonly inBrowser: boolean
}

const madeKey = (id: string) => ['offers', 'made', id]

/** Creates an offer for one wallet. Its session shows the progress. */
export async function makeOffer(input: NewOffer, type: string): Promise<MadeOffer> {
  const made = await credence.credentialOffers.create.mutate(input)
  const { credentialOfferSessionId: id, credentialOfferUri: link, txCode: pin, pageUrl } = made
  return { id, link, pin, pageUrl, limit: 1, type, inBrowser: input.grant === 'authorization_code' }
}

/** Creates an offering that several wallets may take. */
export async function makeOffering(input: NewOffering, limit: number): Promise<MadeOffer> {
  const made = await credence.offerings.create.mutate({ ...input, redemption_limit: limit })
  return {
    id: made.offering_id,
    link: made.offering_full_url,
    pin: undefined,
    pageUrl: undefined,
    limit,
    type: input.credential_type,
    inBrowser: false,
  }
}

export const keepMade = (client: QueryClient, made: MadeOffer): void => {
  client.setQueryDefaults(madeKey(made.id), { gcTime: Number.POSITIVE_INFINITY, staleTime: Number.POSITIVE_INFINITY })
  client.setQueryData(madeKey(made.id), made)
}

export const madeOffer = (client: QueryClient, id: string): MadeOffer | undefined => client.getQueryData(madeKey(id))

/** Credential-offer sessions of all callers, newest first. */
export const offerSessions = (filters: SessionFilters<OfferState>) =>
  infiniteQueryOptions({
    queryKey: ['offers', 'list', filters],
    queryFn: ({ signal, pageParam }) =>
      credence.credentialOffers.sessions.query({ ...filters, ...cursorOf(pageParam) }, { signal }),
    ...paged,
    select: itemsOf,
  })

const MAX_LISTED = 200

/** Deferred offers whose wallets wait for a decision, newest first. Offers in other states cannot wait. */
export const waitingOffers = infiniteQueryOptions({
  queryKey: ['offers', 'waiting'],
  queryFn: ({ signal, pageParam }) =>
    credence.credentialOffers.sessions.query(
      { deferred: 'pending', state: 'TokenIssued', limit: MAX_LISTED, ...cursorOf(pageParam) },
      { signal },
    ),
  ...paged,
  select: itemsOf,
})

/** Approves or rejects a deferred offer. */
export async function decideOffer(client: QueryClient, id: string, approves: boolean): Promise<void> {
  const { approve, reject } = credence.credentialOffers
  await (approves ? approve : reject).mutate({ id })
  await client.invalidateQueries({ queryKey: ['offers'] })
}
