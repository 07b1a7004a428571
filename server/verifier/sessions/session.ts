import type { Config } from '../../config.js'
import { isUnsigned } from '../../protocol/openid4vp/client-identifier.js'
import type { DcqlQuery } from '../../protocol/openid4vp/dcql/dcql-query.js'
import type { VpQueryItem } from '../../protocol/openid4vp/query/vp-query.js'
import { isOverBrowser, type ResponseMode, type VerifierInfo } from '../../protocol/openid4vp/request-object.js'
import type { ProfileName } from '../openid4vp/profiles/profile.js'

export const SESSION_STATES = ['RequestCreated', 'RequestUriRetrieved', 'ResponseVerified', 'Error'] as const

export type SessionState = (typeof SESSION_STATES)[number]

/** A verification session as it is stored: one OpenID4VP exchange. */
export interface Session {
  readonly id: string
  readonly requestId: string
  readonly qrCodeId: string | null
  /** DID of the verifier. */
  readonly verifierId: string
  /** Its client identifier with the prefix; null for a request that the browser brings and nobody signed. */
  readonly clientId: string | null
  /** Client identifiers that sign the request beside that one; null where there are none. */
  readonly furtherClientIds: readonly string[] | null
  /** The key that signs the request object, under `kid`. */
  readonly keyId: string
  readonly kid: string
  /** The chain that a client identifier names the verifier by, as it was when the request was made; null for a DID, and once it has ended. */
  readonly x5c: readonly string[] | null
  /** The verifier attestation that `clientId` is of, as it was when the request was made; null for any other, and once it has ended. */
  readonly verifierAttestation: string | null
  readonly state: SessionState
  readonly errorMessage: string | null
  readonly responseMode: ResponseMode
  /** Origins of the pages that may ask by the Digital Credentials API; null where it goes another way. */
  readonly expectedOrigins: readonly string[] | null
  /** What request and answer keep to. */
  readonly profile: ProfileName
  /** `SessionSecrets` as JSON, as the vault protects it; null once the session has ended. */
  readonly secrets: string | null
  readonly dcqlQuery: DcqlQuery
  /** The items that `dcqlQuery` was made of, with the full constraints. */
  readonly vpQuery: readonly VpQueryItem[] | null
  /** Whom this request trusts; null for TRUSTED_ISSUERS. */
  readonly trustedIssuers: readonly string[] | null
  /** Attestations about the verifier that go with the request. */
  readonly verifierInfo: readonly VerifierInfo[] | null
  /** What the holder is to authorize: the JSON of each entry, as it is sent encoded; null for nothing, and once it has ended. */
  readonly transactionData: readonly string[] | null
  /** What the address for one wallet begins with; null where there is none beside that for every wallet. */
  readonly walletUrl: string | null
  readonly redirectUri: string | null
  /** Whether its result is given only to whoever has the response code. */
  readonly requireResponseCode: boolean
  /** The `sub` that created it; null for a client secret. */
  readonly createdBy: string | null
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** How a request reaches a wallet: its address names where it is fetched, or has all of it, or a page hands it to the browser. */
export type Way = 'reference' | 'address' | 'browser'

export function wayOf({ clientId, responseMode }: Pick<Session, 'clientId' | 'responseMode'>): Way {
  if (clientId === null || isOverBrowser(responseMode)) return 'browser'
  return isUnsigned(clientId) ? 'address' : 'reference'
}

/** The names that a request is signed under: none where it is not signed, several where each signs for itself. */
export const signingNames = ({ clientId, furtherClientIds }: Pick<Session, 'clientId' | 'furtherClientIds'>) =>
  clientId === null || isUnsigned(clientId) ? [] : [clientId, ...(furtherClientIds ?? [])]

/** A step from any of some states to another one. Everything but the state stays as it is. */
export interface Transition {
  readonly from: readonly SessionState[]
  readonly to: SessionState
  /** With `Error`, and only with it. */
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

/** How the message of a session begins that the wallet ended with an error. */
export const WALLET_ANSWERED = 'Wallet answered '

export const EXPIRED_MESSAGE = 'Authorization request expired.'

/** No wallet answered in time. */
export const requestExpired: Transition = {
  from: ['RequestCreated', 'RequestUriRetrieved'],
  to: 'Error',
  errorMessage: EXPIRED_MESSAGE,
}

/** No state follows. */
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

/** Where a page posts what the browser gave it. */
export const digitalCredentialUriOf = ({ verifierBaseUrl }: BaseUrl, requestId: string): string =>
  `${verifierBaseUrl}/openid4vp/dc-api/${requestId}`

/** Where wallets send their answer: `response_uri`. */
export const responseUriOf = ({ verifierBaseUrl }: BaseUrl, requestId: string): string =>
  `${verifierBaseUrl}/openid4vp/responses/${requestId}`

/** @param address what a wallet is opened with; empty where there is no such address, since the interface has a string there */
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
