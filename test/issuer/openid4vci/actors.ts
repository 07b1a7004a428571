import { expect } from 'vitest'
import type { SessionEvent } from '../../../server/events/store.js'
import {
  type Answer,
  type RequestOptions,
  type ServiceOptions,
  startService,
  type TestService,
} from '../../support/service.js'
import { newWallet, type WalletActor } from '../../support/wallet-actor.js'

export const PRE_AUTHORIZED = 'urn:ietf:params:oauth:grant-type:pre-authorized_code'
export const JWT_VC = 'ProofOfPurchase'
export const SD_JWT = 'ProofOfPurchase-sd-jwt'
export const SUBJECT = { product: 'Espresso machine', price: 249 }

const SCHEMA = {
  type: 'object',
  properties: { product: { type: 'string', title: 'Product' }, price: { type: 'number' } },
  required: ['product'],
  additionalProperties: false,
}

/** A clock that tests can set forward. */
export interface MovingClock {
  readonly now: () => Date
  /** Number of seconds by which it is ahead of the machine's clock. */
  ahead: number
  /** Stops the clock, so that a busy machine may take any time between two steps. Only `ahead` then moves it. */
  stop(): void
  /** Ends the stop, and sets the clock to the machine's clock. */
  reset(): void
}

export function movingClock(): MovingClock {
  let stopped: number | undefined
  const clock = {
    ahead: 0,
    now: () => new Date((stopped ?? Date.now()) + clock.ahead * 1000),
    stop: () => {
      stopped = Date.now()
    },
    reset: () => {
      stopped = undefined
      clock.ahead = 0
    },
  }
  return clock
}

/** A service with a credential type, and functions that call its endpoints as the issuer's staff or as a wallet. */
export interface Issuer {
  readonly service: TestService
  /** The Authorization header of the caller who makes the offers. */
  authorization(): Promise<string>
  /** Calls POST /credential-offers, for both configurations unless `members` say otherwise. */
  makeOffer(members?: Readonly<Record<string, unknown>>): Promise<Answer['json']>
  /** Calls POST /api/v1/offerings. */
  makeOffering(members?: Readonly<Record<string, unknown>>): Promise<Answer['json']>
  /**
   * Approves or rejects the offer of a session. The caller is the creator of the offer, unless `by` is the
   * Authorization header of a different caller.
   */
  decide(id: string, decision: 'approve' | 'reject', body?: unknown, by?: string): Promise<Answer>
  /** Reads the session as its creator. */
  session(id: string): Promise<Answer['json']>
  /** Reads all events of a session. */
  events(id: string): Promise<SessionEvent[]>
  /** Fetches the offer, and returns its new code. */
  code(offerId: string): Promise<string>
  /** Posts the given form unchanged to the token endpoint. */
  requestToken(form: string | Readonly<Record<string, string>>, options?: RequestOptions): Promise<Answer>
  /** Gets an access token for a new code of the offer. */
  token(offerId: string, parameters?: Readonly<Record<string, string>>): Promise<string>
  nonce(): Promise<string>
  /** Posts the given body unchanged to the credential endpoint. */
  requestCredential(token: string | undefined, body: unknown): Promise<Answer>
  /** Sends a credential request with one new proof for each wallet. */
  take(token: string, configuration: string, ...wallets: readonly WalletActor[]): Promise<Answer>
  /** Posts to the deferred credential endpoint. */
  collect(token: string, transactionId: unknown): Promise<Answer>
  notify(token: string, body: unknown): Promise<Answer>
}

export async function startIssuer(options: ServiceOptions = {}): Promise<Issuer> {
  const service = await startService(options)
  // Tests set the clock forward, so the identity provider's tokens need a long lifetime.
  const authorization = () => service.bearer('issuer', { expiresIn: 100 * 86_400 })
  const posted = await service.request('POST', '/schemas', {
    authorization: await authorization(),
    body: { name: JWT_VC, version: 1, schema: SCHEMA },
  })
  expect(posted.status, posted.text).toBe(201)
  return { service, ...issuerSide(service, authorization), ...walletSide(service) }
}

const created = (answer: Answer): Answer['json'] => {
  expect(answer.status, answer.text).toBe(201)
  return answer.json
}

function issuerSide(service: TestService, authorization: () => Promise<string>) {
  return {
    authorization,
    makeOffer: async (members: Readonly<Record<string, unknown>> = {}) =>
      created(
        await service.request('POST', '/credential-offers', {
          authorization: await authorization(),
          body: { credentialConfigurationIds: [JWT_VC, SD_JWT], credentialSubject: SUBJECT, ...members },
        }),
      ),
    makeOffering: async (members: Readonly<Record<string, unknown>> = {}) =>
      created(
        await service.request('POST', '/api/v1/offerings', {
          client: true,
          body: { credential_type: JWT_VC, credential_subject: SUBJECT, ...members },
        }),
      ),
    decide: async (id: string, decision: 'approve' | 'reject', body: unknown = {}, by?: string) =>
      service.request('POST', `/credential-offer-sessions/${id}/${decision}`, {
        authorization: by ?? (await authorization()),
        body,
      }),
    events: (id: string) => service.platform.stores.events.after([{ sessionId: id, after: 0 }]),
    /** The session as its events have it: without the creator. */
    session: async (id: string) => {
      const read = await service.request('GET', `/credential-offer-sessions/${id}`, {
        authorization: await authorization(),
      })
      const { createdBy: _, ...session } = read.json
      return session
    },
  }
}

function walletSide(service: TestService) {
  const code = async (offerId: string): Promise<string> => {
    const offer = await service.request('GET', `/openid4vci/offers/${offerId}`)
    expect(offer.status, offer.text).toBe(200)
    return offer.json.grants[PRE_AUTHORIZED]['pre-authorized_code']
  }
  const requestToken = (form: string | Readonly<Record<string, string>>, options: RequestOptions = {}) =>
    service.request('POST', '/openid4vci/token', {
      ...options,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...options.headers },
      body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
    })
  const nonce = async (): Promise<string> => (await service.request('POST', '/openid4vci/nonce')).json.c_nonce
  const requestCredential = (token: string | undefined, body: unknown) =>
    service.request('POST', '/openid4vci/credential', {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      body,
    })
  return {
    code,
    requestToken,
    token: async (offerId: string, parameters: Readonly<Record<string, string>> = {}): Promise<string> => {
      const answer = await requestToken({
        grant_type: PRE_AUTHORIZED,
        'pre-authorized_code': await code(offerId),
        ...parameters,
      })
      expect(answer.status, answer.text).toBe(200)
      return answer.json.access_token
    },
    nonce,
    requestCredential,
    take: async (token: string, configuration: string, ...wallets: readonly WalletActor[]): Promise<Answer> => {
      const keys = wallets.length === 0 ? [await newWallet()] : wallets
      const fresh = await nonce()
      const jwt = await Promise.all(keys.map((wallet) => wallet.proof(service.config.issuerBaseUrl, fresh)))
      return requestCredential(token, { credential_configuration_id: configuration, proofs: { jwt } })
    },
    collect: (token: string, transactionId: unknown) =>
      service.request('POST', '/openid4vci/deferred-credential', {
        authorization: `Bearer ${token}`,
        body: { transaction_id: transactionId },
      }),
    notify: (token: string, body: unknown) =>
      service.request('POST', '/openid4vci/notification', { authorization: `Bearer ${token}`, body }),
  }
}

/** The payload of a compact JWT, not verified. */
export function payloadOf(compact: string): Answer['json'] {
  return JSON.parse(Buffer.from(compact.split('.')[1] ?? '', 'base64url').toString())
}

/** The first credential of a credential response. */
export function credentialOf(answer: Answer): string {
  expect(answer.status, answer.text).toBe(200)
  return answer.json.credentials[0].credential
}

/** The status of an answer, and the error members of its OAuth error body. */
export const refusalOf = ({ status, json }: Answer): unknown[] => [status, json?.error, json?.error_description]
