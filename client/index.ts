import {
  createTRPCClient,
  httpBatchLink,
  httpLink,
  httpSubscriptionLink,
  isTRPCClientError,
  type Operation,
  splitLink,
} from '@trpc/client'
import { EventSource } from 'eventsource'
import type { CredenceClient } from './api.js'
import type { CredenceError, KeyContext } from './calls.js'
import { CREATING } from './creating.js'
import { credentialed, type Fetch, type TokenSource } from './request.js'
import { IDEMPOTENCY_KEY, keyHeader, newKey, retrying } from './retry.js'
import type { AppRouter } from './router.js'
import { endOnRefusal, streaming } from './subscription.js'
import { transformer } from './transformer.js'

/** The maximum number of calls that the service accepts in one request. */
const MAX_BATCH = 10
/** How often a call that creates something is repeated. */
const RETRIES = 3
/** The maximum length of a request's address. Node answers 431 if the head of a request is longer than 16 KiB. */
const MAX_URL_LENGTH = 8_000

export type { CredenceClient } from './api.js'
export type {
  CallOptions,
  CredenceError,
  CredenceErrorShape,
  KeyContext,
  Mutation,
  Query,
  Subscription,
  SubscriptionCallbacks,
  Tracked,
} from './calls.js'
export type { Fetch, TokenSource } from './request.js'
export type { AppRouter, CredenceInputs, CredenceOutputs } from './router.js'
export type * from './webhook-events.js'
export { verifyWebhook, type WebhookHeaders, WebhookVerificationError } from './webhooks.js'

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
  /**
   * Whether each call that creates something has a random `Idempotency-Key`, and is repeated after a broken connection,
   * 429, 502 or 503. Default: true. A key of the call's own options is always sent.
   */
  readonly idempotencyKeys?: boolean | undefined
  /** How often such a call is repeated at most. Default: 3. */
  readonly retries?: number | undefined
}

/** The key of a call; undefined if the call has none. */
function keyOf({ type, path, context }: Operation, byItself: boolean): string | undefined {
  if (type !== 'mutation' || !CREATING.has(path)) return undefined
  const { idempotencyKey } = context as KeyContext
  if (idempotencyKey === false) return undefined
  return idempotencyKey ?? (byItself ? newKey() : undefined)
}

/** Whether a caught error came from a client of this module. */
export const isCredenceError = (thrown: unknown): thrown is CredenceError => isTRPCClientError<AppRouter>(thrown)

/**
 * A typed client of the service. Calls that start in the same tick of the event loop are sent in one request, at most
 * ten calls in each request. A call that creates something is a request of its own, with a random `Idempotency-Key`. The
 * client repeats it after a broken connection, 429, 502 or 503, and it still acts once. Subscriptions are Server-Sent Events. After a lost connection they reconnect and continue
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
export function createCredenceClient(options: CredenceClientOptions): CredenceClient {
  const { url, accessToken, clientSecret, fetch, idempotencyKeys = true, retries = RETRIES } = options
  const address = `${String(url).replace(/\/+$/, '')}/trpc`
  const send = credentialed({ accessToken, clientSecret, fetch: retrying(fetch ?? globalThis.fetch, retries) })
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
        false: splitLink({
          condition: (call) => keyOf(call, idempotencyKeys) !== undefined,
          // A key belongs to one call, so a call with a key is a request of its own.
          true: httpLink({
            url: address,
            transformer,
            fetch: send,
            headers: ({ op }) => ({ [IDEMPOTENCY_KEY]: keyHeader(keyOf(op, true) ?? '') }),
          }),
          false: httpBatchLink({
            url: address,
            transformer,
            fetch: send,
            maxItems: MAX_BATCH,
            maxURLLength: MAX_URL_LENGTH,
          }),
        }),
      }),
    ],
  })
}
