import type { PresentedCredential } from '../../formats/verifying.js'
import type { Check } from '../../protocol/credential/verification.js'
import type { JsonObject } from '../../protocol/json/json-object.js'
import type { CredentialQuery } from '../../protocol/openid4vp/dcql/credential-query.js'
import type { PresentationError } from './presentation-error.js'

/** A presentation of a vp_token, and its credentials or its failure. */
export interface Judged {
  readonly query: CredentialQuery
  readonly item: number | undefined
  readonly found: readonly PresentedCredential[] | PresentationError
  /** Checks that the presentation passed before it failed, in order. The failed check may be among them. */
  readonly passed: readonly Check[]
  /** The presentation as it arrived. */
  readonly presentation: string | JsonObject
  /** Its index among the presentations of its query. */
  readonly index: number
  /** When it passed each check. */
  readonly times: ReadonlyMap<Check, Date>
  /** When its format had made all its checks. */
  readonly verifiedAt: Date
}
