import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query'
import type { CredenceInputs, CredenceOutputs } from '../../index.js'
import { credence } from '../service.js'
import type { Names } from '../ui/names.js'
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
  readonly names: Names
  /** Whether the holder must agree in a browser. */
  readonly inBrowser: boolean
}

const madeKey = (id: string) => ['offers', 'made', id]

/** Creates an offer for one wallet. Its session shows the progress. */
export async function makeOffer(input: NewOffer, type: string): Promise<MadeOffer> {
  const made = await credence.credentialOffers.create.mutate(input)
  const { credentialOfferSessionId: id, credentialOfferUri: link, txCode: pin, pageUrl } = made
  return { id, link, pin, pageUrl, limit: 1, type, names: input, inBrowser: input.grant === 'authorization_code' }
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
    names: input,
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
      { deferred: 'pending', state: 'TokenIssued', withClaims: true, limit: MAX_LISTED, ...cursorOf(pageParam) },
      { signal },
    ),
  ...paged,
  select: itemsOf,
})

/** An offer with everything that its creator received, while it is open. */
export type OfferAgain = CredenceOutputs['credentialOffers']['read']

/** An offer again: its link, QR code and PIN while it is open, and its claims while it waits for a decision. */
export const offerAgain = (id: string) =>
  queryOptions({
    queryKey: ['offers', 'again', id],
    queryFn: ({ signal }) => credence.credentialOffers.read.query({ id }, { signal }),
    // An offer of another user is unknown. A further request would not change this.
    retry: false,
  })

/** Approves a deferred offer, with corrected claims if they are given. */
export async function approveOffer(
  client: QueryClient,
  id: string,
  credentialSubject?: Record<string, unknown>,
): Promise<void> {
  await credence.credentialOffers.approve.mutate({
    id,
    ...(credentialSubject === undefined ? {} : { credentialSubject }),
  })
  await client.invalidateQueries({ queryKey: ['offers'] })
}

type Decisions = CredenceInputs['credentialOffers']['decide']
export type DecisionOutcome = CredenceOutputs['credentialOffers']['decide']['outcomes'][number]

/** Approves or rejects deferred offers. Resolves with the offers that could not be decided. */
export async function decideOffers(client: QueryClient, decisions: Decisions): Promise<DecisionOutcome[]> {
  const { outcomes } = await credence.credentialOffers.decide.mutate(decisions)
  await client.invalidateQueries({ queryKey: ['offers'] })
  return outcomes.filter(({ outcome }) => outcome === 'failed')
}
