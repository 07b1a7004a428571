import type { AuthorizationRequest } from '../../../protocol/oauth/authorization-request.js'

/**
 * How far an authorization is. `Pushed`: the wallet has sent its request. `Started`: a browser has opened it. `SignedIn`:
 * the user who decides is known, or there is no sign-in. `Granted`: a code was given. `Redeemed`: it was exchanged. `Denied`.
 */
export type AuthorizationState = 'Pushed' | 'Started' | 'SignedIn' | 'Granted' | 'Denied' | 'Redeemed'

/** The states from which each state can be reached. */
const SOURCES: Readonly<Record<AuthorizationState, readonly AuthorizationState[]>> = {
  Pushed: [],
  // Before the decision the page may be opened again; another browser then starts again.
  Started: ['Pushed', 'Started', 'SignedIn'],
  SignedIn: ['Pushed', 'Started', 'SignedIn'],
  Granted: ['SignedIn'],
  Denied: ['Started', 'SignedIn'],
  Redeemed: ['Granted'],
}

export const sourcesOf = (state: AuthorizationState): readonly AuthorizationState[] => SOURCES[state]

/** A `request_uri` waits this long for its first visit (RFC 9126 §2.2), in seconds. */
export const REQUEST_URI_SECONDS = 90
/** From then on a person has this long to sign in and to decide. */
export const DECISION_SECONDS = 600
/** RFC 6749 §4.1.2: a code is short-lived. */
export const CODE_SECONDS = 60

/** Who signed in at the identity provider. */
export interface User {
  readonly sub: string
  readonly dids: readonly string[]
}

/** What is kept of the provider's claims until the user decides. */
export interface ProvidedClaims {
  /** How the provider calls the user. */
  readonly name?: string | undefined
  /** A credential of these claims, where the schema says which they are, and no offer was named. */
  readonly made?:
    | { readonly schemaId: string; readonly credentialSubject: Readonly<Record<string, unknown>> }
    | undefined
}

/** The request as it is kept; the key that it names is beside it. */
export type StoredRequest = Omit<AuthorizationRequest, 'dpopJkt'>

/** An authorization as it is stored, its request opened. */
export interface Authorization {
  readonly id: string
  readonly state: AuthorizationState
  readonly request: StoredRequest
  readonly dpopJkt: string | null
  /** Thumbprint of the wallet instance that pushed the request; null where none was attested. */
  readonly instanceJkt: string | null
  /** Whether the request was pushed, so that the client is known to be the same at the token endpoint. */
  readonly pushed: boolean
  readonly walletName: string | undefined
  readonly offeringId: string | null
  readonly userSub: string | null
  readonly userDids: readonly string[]
  readonly expiresAt: Date
}

/** An authorization as its user decides about it. */
export interface UsersAuthorization extends Authorization {
  readonly provided: ProvidedClaims
}

/** A credential type of this issuer, and whether a version of it that can be had has mobile documents. */
export interface KnownType {
  readonly name: string
  readonly asMdoc: boolean
}
