import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { CredenceOutputs } from '../../index.js'
import { credence } from '../service.js'
import { needsPerson } from '../ui/registered.js'

/** A hosted wallet: a holder whose keys are in the service. */
export type Wallet = CredenceOutputs['agentHolders']['list'][number]
export type HeldCredential = CredenceOutputs['walletCredentials']['list'][number]
/** A held credential with its claims. */
export type HeldDetail = CredenceOutputs['walletCredentials']['read']
export type Presentation = CredenceOutputs['walletPresentations']['list'][number]

type Started = CredenceOutputs['flows']['start']

/** A verifier's request, as the holder sees it. */
export type Asking = Extract<Started, { flowType: 'presentation' }>['data']

/** An issuer's offer, as the holder sees it. */
export type Offering = Extract<Started, { flowType: 'claim' }>['data']

/** The user's hosted wallets, newest first. The service returns at most 1,000. */
export const wallets = queryOptions({
  queryKey: ['wallets', 'list'],
  queryFn: ({ signal }) => credence.agentHolders.list.query({}, { signal }),
})

/** @param locale the language of names */
export const heldCredentials = (holderId: string, locale: string) =>
  queryOptions({
    queryKey: ['wallets', 'credentials', holderId, locale],
    queryFn: ({ signal }) => credence.walletCredentials.list.query({ holderId, locale }, { signal }),
  })

/** One credential with its claims. They leave the cache when the screen no longer shows them. */
export const heldCredential = (holderId: string, credentialId: string, locale: string) =>
  queryOptions({
    queryKey: ['wallets', 'credential', holderId, credentialId, locale],
    queryFn: ({ signal }) => credence.walletCredentials.read.query({ holderId, credentialId, locale }, { signal }),
    gcTime: 0,
    retry: false,
  })

/** The most presentations of one credential that are shown. */
const MAX_SHOWN = 100

/** The newest presentations of one credential. */
export const presentationsOf = (holderId: string, credentialId: string) =>
  queryOptions({
    queryKey: ['wallets', 'presentations', holderId, credentialId],
    queryFn: ({ signal }) =>
      credence.walletPresentations.list.query({ holderId, credentialId, limit: MAX_SHOWN }, { signal }),
  })

export const presentations = (holderId: string) =>
  queryOptions({
    queryKey: ['wallets', 'presentations', holderId],
    queryFn: ({ signal }) => credence.walletPresentations.list.query({ holderId }, { signal }),
  })

/** Creates a hosted wallet. @param name a name for people; empty for none */
export const makeWallet = (name = ''): Promise<Wallet> =>
  credence.agentHolders.create.mutate({ method: 'key', ...(name.trim() === '' ? {} : { name: name.trim() }) })

/** The outcome of an offer or a request that a hosted wallet received. */
export type Outcome =
  /** `deferred` is the number of credentials that the issuer will issue later. */
  | { readonly kind: 'taken'; readonly wallet: Wallet; readonly deferred: number }
  | { readonly kind: 'presented'; readonly wallet: Wallet }
  /** A person must see the registration of the issuer first. The PIN of the offer is in memory alone. */
  | { readonly kind: 'offered'; readonly wallet: Wallet; readonly offering: Offering; readonly pin: string | undefined }
  /** A person must see the transaction data or the registration of the request first. */
  | { readonly kind: 'unconfirmed'; readonly wallet: Wallet; readonly asking: Asking }
  /** The wallet has no credential that matches the request. */
  | { readonly kind: 'lacking'; readonly wallet: Wallet; readonly asking: Asking }
  | { readonly kind: 'declined'; readonly wallet: Wallet }
  | { readonly kind: 'declined-offer'; readonly wallet: Wallet }

/** Answers a request with the first matching credential, and authorizes the request's transaction data. */
export async function present(wallet: Wallet, { processId, matchingCredentials: [first] }: Asking): Promise<Outcome> {
  if (first === undefined) throw new Error('There is no credential to present.')
  await credence.flows.confirm.mutate({ processId, type: 'presentation', selectedCredential: { id: first.id } })
  return { kind: 'presented', wallet }
}

/** Declines the request, and informs the verifier. */
export async function decline(wallet: Wallet, { processId }: Asking): Promise<Outcome> {
  await credence.flows.decline.mutate({ processId })
  return { kind: 'declined', wallet }
}

/** Takes an offer that a person has confirmed, or that needs no person. */
export async function take(wallet: Wallet, { processId }: Offering, pin: string | undefined): Promise<Outcome> {
  const txCode = pin === undefined || pin === '' ? {} : { txCode: pin }
  const { data: taken } = await credence.flows.confirm.mutate({
    processId,
    type: 'claim',
    selectedCredential: {},
    ...txCode,
  })
  return { kind: 'taken', wallet, deferred: typeof taken?.deferred === 'number' ? taken.deferred : 0 }
}

/** Declines the offer. The issuer is not informed. */
export async function declineOffer(wallet: Wallet, { processId }: Offering): Promise<Outcome> {
  await credence.flows.decline.mutate({ processId })
  return { kind: 'declined-offer', wallet }
}

/**
 * Lets a wallet take an offer or answer a request. If a person must confirm, the outcome contains the question for this
 * person.
 */
export async function give(wallet: Wallet, uri: string, pin?: string): Promise<Outcome> {
  const { did } = wallet
  if (did === undefined) throw new Error('This wallet has no DID.')
  const { flowType, data } = await credence.flows.start.mutate({ qrContent: uri, did })
  if (flowType === 'presentation') {
    if (data.matchingCredentials.length === 0) return { kind: 'lacking', wallet, asking: data }
    if (needsPerson(data)) return { kind: 'unconfirmed', wallet, asking: data }
    return present(wallet, data)
  }
  const { registration } = data
  // An offering of this installation has no registration to show.
  if (registration !== undefined && needsPerson({ registration }))
    return { kind: 'offered', wallet, offering: data, pin }
  return take(wallet, data, pin)
}

const USED = ['wallets', 'used']

/** The last used wallet is preselected, until the page is reloaded. */
export const noteUse = (client: QueryClient, { id }: Wallet): void => {
  client.setQueryDefaults(USED, { gcTime: Number.POSITIVE_INFINITY, staleTime: Number.POSITIVE_INFINITY })
  client.setQueryData(USED, id)
}

export const usedLast = (client: QueryClient): string | undefined => client.getQueryData(USED)
