import type { PresentedCredential } from '../../formats/verifying.js'
import type { Check } from '../../protocol/credential/verification.js'
import type { CredentialQuery } from '../../protocol/openid4vp/dcql/credential-query.js'
import type { PresentationError } from './presentation-error.js'

/** A presentation of a vp_token, and what was found of it. */
export interface Judged {
  readonly query: CredentialQuery
  readonly item: number | undefined
  readonly found: readonly PresentedCredential[] | PresentationError
  /** What it passed before it failed, in order; it may name the check that failed, too. */
  readonly passed: readonly Check[]
}
