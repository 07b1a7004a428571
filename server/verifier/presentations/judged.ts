import type { PresentedCredential } from '../../formats/verifying.js'
import type { CredentialQuery } from '../../protocol/openid4vp/dcql/credential-query.js'
import type { PresentationError } from './presentation-error.js'

/** A presentation of a vp_token, and what was found of it. */
export interface Judged {
  readonly query: CredentialQuery
  readonly item: number | undefined
  readonly found: readonly PresentedCredential[] | PresentationError
}
