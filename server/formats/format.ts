import type { QueryableFormat } from '../protocol/openid4vp/dcql/format.js'
import type { Holding } from './holding.js'
import type { Issuing } from './issuing.js'
import type { Verifying } from './verifying.js'

/** The part of a credential format that issuing uses. */
export interface IssuedFormat {
  readonly name: string
  /**
   * Whether HAIP 1.0 §6 profiles the format. If HAIP is required, only formats with a profile are issued and requested.
   */
  readonly haip: boolean
  readonly issuing: Issuing
  /**
   * The same format under its former name, for wallets of earlier drafts. Absent if the format never had a different
   * name.
   */
  readonly former?: IssuedFormat
}

/**
 * A credential format: everything that the service knows about it. `name` is its credential format identifier
 * (OpenID4VCI 1.0 Appendix A, OpenID4VP 1.0 Appendix B). Code outside this folder gets the formats from the registry
 * and treats every format in the same way.
 */
export interface CredentialFormat extends IssuedFormat, QueryableFormat {
  readonly verifying: Verifying
  readonly holding: Holding
  readonly former?: CredentialFormat
}
