import { z } from 'zod'
import type { Config } from '../../config/config.js'
import { json } from '../../database/row-shapes.js'
import { isUnsigned } from '../../protocol/openid4vp/client-identifier.js'
import type { DcqlQuery } from '../../protocol/openid4vp/dcql/dcql-query.js'
import type { VpQueryItem } from '../../protocol/openid4vp/query/vp-query.js'
import { isOverBrowser, RESPONSE_MODES, type VerifierInfo } from '../../protocol/openid4vp/request-object.js'
import { PROFILE_NAMES } from '../openid4vp/profiles/profile.js'

export const SESSION_STATES = ['RequestCreated', 'RequestUriRetrieved', 'ResponseVerified', 'Error'] as const

export type SessionState = (typeof SESSION_STATES)[number]

const zTexts = z.array(z.string()).readonly().nullable()

/** The columns of a session. */
export const zSession = z.strictObject({
  id: z.string(),
  requestId: z.string(),
  qrCodeId: z.string().nullable(),
  /** DID of the verifier. */
  verifierId: z.string(),
  /** Client identifier of the verifier, with the prefix; null for an unsigned request over the Digital Credentials API. */
  clientId: z.string().nullable(),
  /** Further client identifiers that sign the request; null if none. */
  furtherClientIds: zTexts,
  /** The key that signs the request object, under `kid`. */
  keyId: z.string(),
  kid: z.string(),
  /** The certificate chain of the client identifier at the time of the request; null for a DID, and after the session ends. */
  x5c: zTexts,
  /** The verifier attestation of `clientId` at the time of the request; null for other prefixes, and after the session ends. */
  verifierAttestation: z.string().nullable(),
  state: z.enum(SESSION_STATES),
  errorMessage: z.string().nullable(),
  responseMode: z.enum(RESPONSE_MODES),
  /** Origins that may use the Digital Credentials API for the request; null if the request uses another way. */
  expectedOrigins: zTexts,
  /** The profile of request and answer. */
  profile: z.enum(PROFILE_NAMES),
  /** `SessionSecrets` as JSON, encrypted by the vault; null after the session ends. */
  secrets: z.string().nullable(),
  dcqlQuery: json<DcqlQuery>(),
  /** The items that `dcqlQuery` was made from, with the full constraints. */
  vpQuery: json<readonly VpQueryItem[]>().nullable(),
  /** Issuers that this request trusts; null if TRUSTED_ISSUERS applies. */
  trustedIssuers: zTexts,
  /** Attestations about the verifier, sent with the request. */
  verifierInfo: json<readonly VerifierInfo[]>().nullable(),
  /** Transactions for the holder to authorize: the exact JSON of each entry, which is sent encoded; null if none, and after the end. */
  transactionData: zTexts,
  /** The beginning of the address for one wallet; null if only the address for every wallet exists. */
  walletUrl: z.string().nullable(),
  redirectUri: z.string().nullable(),
  /** Whether the result is returned only with the response code. */
  requireResponseCode: z.boolean(),
  /** Seconds for which evidence of the answer is kept after the end; null if no evidence is kept. */
  evidenceSeconds: z.int().nullable(),
  /** The `sub` that created the session; null for a client secret. */
  createdBy: z.string().nullable(),
  createdAt: z.date(),
  expiresAt: z.date(),
})

/** A verification session as it is stored: one OpenID4VP exchange. */
export type Session = z.infer<typeof zSession>

/**
 * How a request reaches a wallet. `reference`: the wallet fetches the request from the address. `address`: the address
 * contains the request. `browser`: a page passes the request to the browser.
 */
export type Way = 'reference' | 'address' | 'browser'

export function wayOf({ clientId, responseMode }: Pick<Session, 'clientId' | 'responseMode'>): Way {
  if (clientId === null || isOverBrowser(responseMode)) return 'browser'
  return isUnsigned(clientId) ? 'address' : 'reference'
}

/**
 * The client identifiers that sign a request. An unsigned request has none. Several identifiers make several
 * signatures.
 */
export const signingNames = ({ clientId, furtherClientIds }: Pick<Session, 'clientId' | 'furtherClientIds'>) =>
  clientId === null || isUnsigned(clientId) ? [] : [clientId, ...(furtherClientIds ?? [])]

/** A step from one of several states to another state. The step changes only the state and the error message. */
export interface Transition {
  readonly from: readonly SessionState[]
  readonly to: SessionState
  /** Present only with `Error`. */
  readonly errorMessage?: string
}

/** A wallet fetched the request. */
export const requestRetrieved: Transition = { from: ['RequestCreated'], to: 'RequestUriRetrieved' }

/** The wallet's presentation passed every check. */
export const responseVerified: Transition = { from: ['RequestUriRetrieved'], to: 'ResponseVerified' }

/** The wallet's presentation failed a check, or the wallet answered with an error. */
export const responseFailed = (errorMessage: string): Transition => ({
  from: ['RequestUriRetrieved'],
  to: 'Error',
  errorMessage,
})

/** The beginning of the error message of a session that the wallet ended with an error. */
export const WALLET_ANSWERED = 'Wallet answered '

export const EXPIRED_MESSAGE = 'Authorization request expired.'

/** No wallet answered in time. */
export const requestExpired: Transition = {
  from: ['RequestCreated', 'RequestUriRetrieved'],
  to: 'Error',
  errorMessage: EXPIRED_MESSAGE,
}

/** The error message of a session whose holder declined on its share page. */
export const DECLINED_MESSAGE = 'Declined by the holder.'

/** The holder declined on the share page of the request, with or without a wallet. */
export const holderDeclined: Transition = {
  from: ['RequestCreated', 'RequestUriRetrieved'],
  to: 'Error',
  errorMessage: DECLINED_MESSAGE,
}

/** Whether a session in this state has ended. */
export const isFinal = (state: SessionState): boolean => state === 'ResponseVerified' || state === 'Error'

/** A session as callers see it: the verification session of the interface. */
export interface SessionView {
  readonly id: string
  readonly verifierId: string
  readonly state: SessionState
  readonly authorizationRequestId: string
  readonly authorizationRequestUri: string
  readonly authorizationResponseRedirectUri?: string
  readonly expiresAt: string
  readonly errorMessage?: string
}

type BaseUrl = Pick<Config, 'verifierBaseUrl'>

/** Where wallets fetch the request object: `request_uri`. */
export const requestUriOf = ({ verifierBaseUrl }: BaseUrl, requestId: string): string =>
  `${verifierBaseUrl}/openid4vp/requests/${requestId}`

/** Where a page posts the answer of the browser. */
export const digitalCredentialUriOf = ({ verifierBaseUrl }: BaseUrl, requestId: string): string =>
  `${verifierBaseUrl}/openid4vp/dc-api/${requestId}`

/** Where wallets send their answer: `response_uri`. */
export const responseUriOf = ({ verifierBaseUrl }: BaseUrl, requestId: string): string =>
  `${verifierBaseUrl}/openid4vp/responses/${requestId}`

/**
 * A session as callers see it.
 *
 * @param address the address that opens a wallet. If no address opens a wallet, this is an empty string, because the
 *   interface requires a string.
 */
export function viewOf(session: Session, address: string): SessionView {
  const { id, verifierId, state, requestId, redirectUri, expiresAt, errorMessage } = session
  return {
    id,
    verifierId,
    state,
    authorizationRequestId: requestId,
    authorizationRequestUri: address,
    ...(redirectUri === null ? {} : { authorizationResponseRedirectUri: redirectUri }),
    expiresAt: expiresAt.toISOString(),
    ...(errorMessage === null ? {} : { errorMessage }),
  }
}
