import type { QueryableFormat } from '../protocol/openid4vp/dcql/format.js'
import type { Holding } from './holding.js'
import type { Issuing } from './issuing.js'
import type { Verifying } from './verifying.js'

/** A credential format as far as issuing goes. */
export interface IssuedFormat {
  readonly name: string
  /** Whether HAIP 1.0 §6 has a profile of it, so that it may be issued, and asked for, where HAIP is demanded. */
  readonly haip: boolean
  readonly issuing: Issuing
  /** As wallets of earlier drafts know it, under the name of their time; absent where it has always been called as it is. */
  readonly former?: IssuedFormat
}

/**
 * A credential format: all that the service knows of it. `name` is its credential format identifier (OpenID4VCI 1.0 Appendix A,
 * OpenID4VP 1.0 Appendix B). Whoever issues, verifies or holds credentials asks the registry
 * and treats every format alike.
 */
export interface CredentialFormat extends IssuedFormat, QueryableFormat {
  readonly verifying: Verifying
  readonly holding: Holding
  readonly former?: CredentialFormat
}
