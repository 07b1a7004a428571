import type { JsonObject } from '../../json/json-object.js'
import type { Work } from '../../work.js'
import type { JsonPath } from './jsonpath/ast.js'

/** Why a credential is none of those that the `meta` of a credential query asks for. */
export interface MetaMismatch {
  /** The member of `meta`. */
  readonly check: string
  /** The member of the credential. */
  readonly path: string
  /** To be read after the credential's name. */
  readonly verdict: string
}

/** A credential whose signature is verified, as queries look at it. */
export interface CredentialView {
  /** Credential format identifier. */
  readonly format: string
  /**
   * What claims paths start at (OpenID4VP 1.0 §7, Appendix B); undefined stands in the place of each array element that is not
   * disclosed.
   */
  readonly root: JsonObject
  /** @param meta that of a credential query of the same format. */
  mismatchWith(meta: JsonObject): MetaMismatch | undefined
  /**
   * The values that a JSONPath selects.
   *
   * @throws WorkExceededError
   */
  select(path: JsonPath, work: Work): unknown[]
}
