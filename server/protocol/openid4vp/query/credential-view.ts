import type { JsonObject } from '../../json/json-object.js'
import type { Work } from '../../work.js'
import type { JsonPath } from './jsonpath/ast.js'

/** The reason why a credential does not match the `meta` of a credential query. */
export interface MetaMismatch {
  /** The member of `meta`. */
  readonly check: string
  /** The member of the credential. */
  readonly path: string
  /** Completes the sentence that begins with the credential's name. */
  readonly verdict: string
}

/** A verified credential as queries read it. */
export interface CredentialView {
  /** Credential format identifier. */
  readonly format: string
  /**
   * The object at which claims paths start (OpenID4VP 1.0 §7, Appendix B). Each array element that is not disclosed is undefined, so
   * that the other elements keep their positions.
   */
  readonly root: JsonObject
  /** @param meta from a credential query of the same format. */
  mismatchWith(meta: JsonObject): MetaMismatch | undefined
  /**
   * The values that a JSONPath selects.
   *
   * @throws WorkExceededError
   */
  select(path: JsonPath, work: Work): unknown[]
}
