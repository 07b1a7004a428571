import type { AuthorizationRequest } from '../../../protocol/oauth/authorization-request.js'

/**
 * The state of an authorization. `Pushed`: the wallet has sent its request. `Started`: a browser has opened the
 * request. `SignedIn`: the user who decides is known, or there is no sign-in. `Granted`: the wallet has a code.
 * `Redeemed`: the wallet has exchanged the code. `Denied`: the request was refused.
 */
export type AuthorizationState = 'Pushed' | 'Started' | 'SignedIn' | 'Granted' | 'Denied' | 'Redeemed'

/** The states from which each state can be reached. */
const SOURCES: Readonly<Record<AuthorizationState, readonly AuthorizationState[]>> = {
  Pushed: [],
  // Before the decision, the page may be opened again. Another browser starts from the beginning.
  Started: ['Pushed', 'Started', 'SignedIn'],
  SignedIn: ['Pushed', 'Started', 'SignedIn'],
  Granted: ['SignedIn'],
  Denied: ['Started', 'SignedIn'],
  Redeemed: ['Granted'],
}

export const sourcesOf = (state: AuthorizationState): readonly AuthorizationState[] => SOURCES[state]

/** Lifetime of a `request_uri` until a browser first opens it (RFC 9126 §2.2), in seconds. */
export const REQUEST_URI_SECONDS = 90
/** The time for a person to sign in and to decide after that first visit, in seconds. */
export const DECISION_SECONDS = 600
/** RFC 6749 §4.1.2: a code is short-lived. In seconds. */
export const CODE_SECONDS = 60

/** The user who signed in at the identity provider. */
export interface User {
  readonly sub: string
  readonly dids: readonly string[]
}

/** The part of the provider's claims that is stored until the user decides. */
export interface ProvidedClaims {
  /** The provider's name for the user. */
  readonly name?: string | undefined
  /** A credential made from these claims. Present if a schema names the claims and the request names no offer. */
  readonly made?:
    | { readonly schemaId: string; readonly credentialSubject: Readonly<Record<string, unknown>> }
    | undefined
  /** The claims of the sign-in, for the claims source. Present if a claims source may be asked. */
  readonly signIn?: Readonly<Record<string, unknown>> | undefined
}

/** The stored request. The key that the request names is stored in its own column. */
export type StoredRequest = Omit<AuthorizationRequest, 'dpopJkt'>

/** A stored authorization with its decrypted request. */
export interface Authorization {
  readonly id: string
  readonly state: AuthorizationState
  readonly request: StoredRequest
  readonly dpopJkt: string | null
  /** Thumbprint of the wallet instance that pushed the request; null if no instance was attested. */
  readonly instanceJkt: string | null
  /** Whether the request was pushed. If so, the token endpoint can check that the client is the same. */
  readonly pushed: boolean
  readonly walletName: string | undefined
  readonly offeringId: string | null
  /** Whether the claims of the request's offer come from a claims source. */
  readonly claimsAtIssuance: boolean
  readonly userSub: string | null
  readonly userDids: readonly string[]
  readonly expiresAt: Date
}

/** An authorization with the claims that its user decides about. */
export interface UsersAuthorization extends Authorization {
  readonly provided: ProvidedClaims
}

/** A credential type of this issuer. `asMdoc`: whether an issuer can sign mobile documents of an available version. */
export interface KnownType {
  readonly name: string
  readonly asMdoc: boolean
}
