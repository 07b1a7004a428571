import { createTRPCClient, httpBatchLink, httpSubscriptionLink, isTRPCClientError, splitLink } from '@trpc/client'
import { EventSource } from 'eventsource'
import type { CredenceClient } from './api.js'
import type { CredenceError } from './calls.js'
import { credentialed, type Fetch, type TokenSource } from './request.js'
import type { AppRouter } from './router.js'
import { endOnRefusal, streaming } from './subscription.js'
import { transformer } from './transformer.js'

/** The maximum number of calls that the service accepts in one request. */
const MAX_BATCH = 10
/** The maximum length of a request's address. Node answers 431 if the head of a request is longer than 16 KiB. */
const MAX_URL_LENGTH = 8_000

export type { CredenceClient } from './api.js'
export type {
  CallOptions,
  CredenceError,
  CredenceErrorShape,
  Mutation,
  Query,
  Subscription,
  SubscriptionCallbacks,
  Tracked,
} from './calls.js'
export type { Fetch, TokenSource } from './request.js'
export type { AppRouter, CredenceInputs, CredenceOutputs } from './router.js'

export interface CredenceClientOptions {
  /** Base URL of the service. The client adds `/trpc`. */
  readonly url: string | URL
  /**
   * OIDC access token, sent as `Authorization: Bearer`. If it is a function, the client calls the function before each
   * request and before each connection of a subscription. So the function can renew the token in time.
   */
  readonly accessToken?: TokenSource | undefined
  /** Client secret of a backend, sent as `x-client-secret`. Never use it in a browser. */
  readonly clientSecret?: string | undefined
  /** Default: the global `fetch`. */
  readonly fetch?: Fetch | undefined
}

/** Whether a caught error came from a client of this module. */
export const isCredenceError = (thrown: unknown): thrown is CredenceError => isTRPCClientError<AppRouter>(thrown)

/**
 * A typed client of the service. Calls that start in the same tick of the event loop are sent in one request, at most
 * ten calls in each request. Subscriptions are Server-Sent Events. After a lost connection they reconnect and continue
 * after the last event. If the service refuses, they end with an error. Tokens and secrets are sent only in headers,
 * never in an address. A redirect is an error, so tokens and secrets never reach another address.
 *
 * @example
 * ```ts
 * import { createCredenceClient, isCredenceError } from '@credence/client'
 *
 * const credence = createCredenceClient({
 *   url: 'https://credentials.example.com',
 *   accessToken: () => identityProvider.accessToken(),
 *   clientSecret: process.env.CLIENT_SECRET,
 * })
 *
 * const offering = await credence.offerings.create.mutate({
 *   credential_type: 'ProofOfPurchase',
 *   credential_subject: { productName: 'Espresso machine', merchant: 'Corner Shop', purchaseDate: '2026-03-01' },
 * })
 * try {
 *   await credence.offerings.claim.mutate({ id: offering.id })
 * } catch (error) {
 *   if (isCredenceError(error) && error.data?.httpStatus === 410) console.log(error.data.messages) // ['Offering has expired.']
 *   else throw error
 * }
 * ```
 */
export function createCredenceClient({ url, accessToken, clientSecret, fetch }: CredenceClientOptions): CredenceClient {
  const address = `${String(url).replace(/\/+$/, '')}/trpc`
  const send = credentialed({ accessToken, clientSecret, fetch: fetch ?? globalThis.fetch })
  return createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: ({ type }) => type === 'subscription',
        true: [
          endOnRefusal(),
          httpSubscriptionLink({
            url: address,
            transformer,
            EventSource,
            eventSourceOptions: { fetch: streaming(send) },
          }),
        ],
        false: httpBatchLink({
          url: address,
          transformer,
          fetch: send,
          maxItems: MAX_BATCH,
          maxURLLength: MAX_URL_LENGTH,
        }),
      }),
    ],
  })
}
