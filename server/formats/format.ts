import type { Issuing } from './issuing.js'

/**
 * A credential format: all that the service knows of it. Whoever issues, verifies or holds credentials asks the registry
 * and treats every format alike.
 */
export interface CredentialFormat {
  /** Credential format identifier (OpenID4VCI 1.0 Appendix A, OpenID4VP 1.0 Appendix B). */
  readonly name: string
  readonly issuing: Issuing
}
