import type { QueryableFormat } from '../protocol/openid4vp/dcql/format.js'
import type { Holding } from './holding.js'
import type { Issuing } from './issuing.js'
import type { Verifying } from './verifying.js'

/** The part of a credential format that issuing uses. */
export interface IssuedFormat {
  readonly name: string
  /**
   * Whether HAIP 1.0 §6 has a profile of the format. If HAIP is required, only formats with a profile are issued and
   * requested.
   */
  readonly haip: boolean
  readonly issuing: Issuing
  /** The format for wallets of earlier drafts, under its former name; absent if the name never changed. */
  readonly former?: IssuedFormat
}

/**
 * A credential format: everything that the service knows about it. `name` is its credential format identifier (OpenID4VCI 1.0
 * Appendix A, OpenID4VP 1.0 Appendix B). Code that issues, verifies or holds credentials asks the registry
 * and treats every format alike.
 */
export interface CredentialFormat extends IssuedFormat, QueryableFormat {
  readonly verifying: Verifying
  readonly holding: Holding
  readonly former?: CredentialFormat
}
