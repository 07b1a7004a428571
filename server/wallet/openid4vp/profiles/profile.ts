import type { Formats } from '../../../formats/registry.js'
import type { JsonObject } from '../../../protocol/json/json-object.js'

export type ProfileName = 'final' | 'draft24'

/** Whom a request says it is from, in the terms of OpenID4VP 1.0 §5.9, whichever profile names them. */
export interface ClaimedVerifier {
  /** `pre-registered` where the client identifier has no prefix (§5.9.2). */
  readonly prefix: string
  /** The client identifier without its prefix. */
  readonly identifier: string
}

/** A presentation that answers a credential query. */
export interface Answer {
  readonly queryId: string
  readonly presentation: string
}

/**
 * What OpenID4VP 1.0, or a draft of it, calls things. Everything beside the profiles knows the terms of 1.0 alone. `parameters` are those of a
 * request as they came, of which nothing is known.
 */
export interface Profile {
  readonly name: ProfileName
  /** Parameters that stand in the address as they stand in the request object. */
  readonly addressed: readonly string[]
  /** Whether a request object may have this `typ`; it comes in lower case, without `application/`. */
  allowsType(typ: string | undefined): boolean
  verifierOf(parameters: JsonObject): ClaimedVerifier
  /** `client_metadata` in the terms of 1.0; empty where the request has none. */
  clientMetadataOf(parameters: JsonObject): JsonObject
  /**
   * What the request asks for, as a DCQL query (1.0 §6).
   *
   * @throws RefusedRequest
   */
  queryOf(parameters: JsonObject, formats: Formats): JsonObject
  /** What the wallet says of itself (1.0 §10), from what it would say in the terms of 1.0. */
  walletMetadataOf(metadata: JsonObject): JsonObject
  /** The parameters of the answer (1.0 §8.1). */
  responseOf(answers: readonly Answer[]): JsonObject
}
