import { type Names, namesView } from '../../../names/names.js'
import { TX_CODE_LOCKED } from '../tx-code.js'

/**
 * States of a credential-offer session. `Accepted` and `Error` are final, with one exception: a resend opens a session whose
 * transaction code is locked.
 */
export const CREDENTIAL_OFFER_STATES = [
  'Created',
  'OfferRetrieved',
  'Authorized',
  'TokenIssued',
  'CredentialIssued',
  'Accepted',
  'Error',
] as const

export type CredentialOfferState = (typeof CREDENTIAL_OFFER_STATES)[number]

/** The decision about a deferred offer. `pending`: a wallet has requested the credential and waits. */
export type Decision = 'pending' | 'approved' | 'rejected'

/** A stored session with members of its offering. */
export interface CredentialOfferSession {
  readonly id: string
  readonly createdBy: string
  readonly state: CredentialOfferState
  readonly seq: number
  readonly errorMessage: string | null
  /**
   * Null if the session's offer is not deferred. Also null before a wallet requests the credential or the issuer
   * decides.
   */
  readonly deferred: Decision | null
  readonly configurationIds: readonly string[]
  readonly issuerId: string
  readonly expiresAt: Date
  readonly createdAt: Date
}

/** The session's JSON, as in the answer of the GET route and in events. */
export interface CredentialOfferSessionView {
  readonly id: string
  readonly state: CredentialOfferState
  readonly issuerId: string
  readonly credentialConfigurationIds: string[]
  readonly createdAt: string
  readonly expiresAt: string
  readonly errorMessage?: string | undefined
  readonly deferred?: Decision | undefined
  readonly claimsErasedAt?: string | undefined
  readonly reference?: string | undefined
  readonly label?: string | undefined
}

/** The states from which each state can be reached. A final state never changes. A repeated transition does nothing. */
const SOURCES: Readonly<Record<CredentialOfferState, readonly CredentialOfferState[]>> = {
  Created: [],
  OfferRetrieved: ['Created'],
  Authorized: ['Created', 'OfferRetrieved'],
  TokenIssued: ['Created', 'OfferRetrieved', 'Authorized'],
  CredentialIssued: ['TokenIssued'],
  Accepted: ['CredentialIssued'],
  Error: ['Created', 'OfferRetrieved', 'Authorized', 'TokenIssued', 'CredentialIssued'],
}

/** The error message of a session whose offer expired. */
export const EXPIRED = 'Credential offer expired.'

/** The error message of a session whose offer was cancelled. */
export const CANCELLED = 'Offer cancelled.'

/** The states before a credential was issued. Only in these states can the session expire or be locked. */
export const UNREDEEMED_STATES: readonly CredentialOfferState[] = [
  'Created',
  'OfferRetrieved',
  'Authorized',
  'TokenIssued',
]

export const isFinal = (state: CredentialOfferState): boolean => state === 'Accepted' || state === 'Error'

/** Whether a session ended because its wallet sent too many wrong transaction codes. A resend with a new code opens it again. */
export const isTxCodeLocked = ({
  state,
  errorMessage,
}: Pick<CredentialOfferSession, 'state' | 'errorMessage'>): boolean =>
  state === 'Error' && errorMessage === TX_CODE_LOCKED

export const sourcesOf = (state: CredentialOfferState): readonly CredentialOfferState[] => SOURCES[state]

export const canMove = (from: CredentialOfferState, to: CredentialOfferState): boolean => SOURCES[to].includes(from)

/** The session after a transition. `errorMessage` is set only with Error. */
export function moved(
  session: CredentialOfferSession,
  state: CredentialOfferState,
  errorMessage?: string,
): CredentialOfferSession {
  return { ...session, state, seq: session.seq + 1, errorMessage: errorMessage ?? null }
}

/** @param session with the names of its offer, and the time of the erasure of its offer's claims, if they were erased */
export function sessionView(
  session: Omit<CredentialOfferSession, 'seq'> & {
    readonly claimsErasedAt?: Date | null
    readonly names?: Names | null
  },
): CredentialOfferSessionView {
  return {
    id: session.id,
    state: session.state,
    issuerId: session.issuerId,
    credentialConfigurationIds: [...session.configurationIds],
    ...namesView(session.names),
    createdAt: session.createdAt.toISOString(),
    expiresAt: session.expiresAt.toISOString(),
    ...(session.errorMessage === null ? {} : { errorMessage: session.errorMessage }),
    ...(session.deferred === null ? {} : { deferred: session.deferred }),
    ...(session.claimsErasedAt == null ? {} : { claimsErasedAt: session.claimsErasedAt.toISOString() }),
  }
}
