import type { CardDisplay } from '../../../server/protocol/credential-card/look.js'
import type { CredenceInputs, CredenceOutputs } from '../../index.js'

// Types of inputs and outputs. They are separate from the calls, so that code that only computes with these types runs
// without a browser.

/** How wallets may draw a credential, in one language. */
export interface Display extends CardDisplay {
  readonly name: string
  readonly locale?: string
}

/** A claims path: names, positions, and null for every element of an array (OpenID4VP 1.0 §7). */
export type ClaimsPath = readonly (string | number | null)[]

/** The members of a credential configuration that the console uses (OpenID4VCI 1.0 §12.2.4, Appendix A). */
export interface Configuration {
  readonly format: string
  readonly vct?: string
  readonly doctype?: string
  readonly credential_definition?: { readonly type: readonly string[] }
  readonly credential_metadata?: {
    readonly display?: readonly Display[]
    readonly claims?: readonly { readonly path: ClaimsPath; readonly display?: readonly Display[] }[]
  }
}

export type NewRequest = CredenceInputs['authorizationRequests']['create']
export type DcqlQuery = NonNullable<NewRequest['dcqlQuery']>
export type VpQuery = CredenceOutputs['vpQueries']['list'][number]
export type VerificationSession = CredenceOutputs['verificationSessions']['read']
export type VerificationState = VerificationSession['state']
export type ListedVerification = CredenceOutputs['verificationSessions']['list']['items'][number]
export type VerificationResult = CredenceOutputs['verificationSessions']['result']

/** The credentials that a session asks for, and the checks of its answer. */
export type CheckedSession = CredenceOutputs['verificationSessions']['checks']

/** A check, its outcome and its sentence. */
export type CheckDone = CheckedSession['checks'][number]

export type ListedOffer = CredenceOutputs['credentialOffers']['sessions']['items'][number]
export type OfferState = ListedOffer['state']

/** Filters of a session list: a state, the creator, the start of the period, and the end of the period (exclusive). */
export interface SessionFilters<State extends string> {
  readonly state?: State | undefined
  readonly reference?: string | undefined
  readonly label?: string | undefined
  /** Only sessions that the user created. */
  readonly mine?: boolean | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** A version of a credential type. */
export type TypeVersion = CredenceOutputs['schemas']['read']
