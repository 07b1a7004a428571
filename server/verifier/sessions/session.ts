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
  /** Its client identifier with the prefix; null for a request that the browser brings and nobody signed. */
  clientId: z.string().nullable(),
  /** Client identifiers that sign the request beside that one; null where there are none. */
  furtherClientIds: zTexts,
  /** The key that signs the request object, under `kid`. */
  keyId: z.string(),
  kid: z.string(),
  /** The chain that a client identifier names the verifier by, as it was when the request was made; null for a DID, and once it has ended. */
  x5c: zTexts,
  /** The verifier attestation that `clientId` is of, as it was when the request was made; null for any other, and once it has ended. */
  verifierAttestation: z.string().nullable(),
  state: z.enum(SESSION_STATES),
  errorMessage: z.string().nullable(),
  responseMode: z.enum(RESPONSE_MODES),
  /** Origins of the pages that may ask by the Digital Credentials API; null where it goes another way. */
  expectedOrigins: zTexts,
  /** What request and answer keep to. */
  profile: z.enum(PROFILE_NAMES),
  /** `SessionSecrets` as JSON, as the vault protects it; null once the session has ended. */
  secrets: z.string().nullable(),
  dcqlQuery: json<DcqlQuery>(),
  /** The items that `dcqlQuery` was made of, with the full constraints. */
  vpQuery: json<readonly VpQueryItem[]>().nullable(),
  /** Whom this request trusts; null for TRUSTED_ISSUERS. */
  trustedIssuers: zTexts,
  /** Attestations about the verifier that go with the request. */
  verifierInfo: json<readonly VerifierInfo[]>().nullable(),
  /** What the holder is to authorize: the JSON of each entry, as it is sent encoded; null for nothing, and once it has ended. */
  transactionData: zTexts,
  /** What the address for one wallet begins with; null where there is none beside that for every wallet. */
  walletUrl: z.string().nullable(),
  redirectUri: z.string().nullable(),
  /** Whether its result is given only to whoever has the response code. */
  requireResponseCode: z.boolean(),
  /** The `sub` that created it; null for a client secret. */
  createdBy: z.string().nullable(),
  createdAt: z.date(),
  expiresAt: z.date(),
})

/** A verification session as it is stored: one OpenID4VP exchange. */
export type Session = z.infer<typeof zSession>

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
