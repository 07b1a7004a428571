import type { CredentialFormat } from '../../../formats/format.js'
import type { Formats } from '../../../formats/registry.js'
import type { JsonObject } from '../../../protocol/json/json-object.js'
import type { FieldConstraint } from '../../../protocol/openid4vp/query/vp-query.js'
import type { Work } from '../../../protocol/work.js'

export type ProfileName = 'final' | 'draft24' | 'draft21'

/** Whom a request says it is from, in the terms of OpenID4VP 1.0 §5.9, whichever profile names them. */
export interface ClaimedVerifier {
  /** `pre-registered` where the client identifier has no prefix (§5.9.2). */
  readonly prefix: string
  /** The client identifier without its prefix. */
  readonly identifier: string
}

/** What of a presentation definition (DIF Presentation Exchange 2) its answer needs, beside the DCQL query that was made of it. */
export interface ExchangeRequest {
  readonly definitionId: string
  /** By the id of a credential query: the input descriptor that it was made of. */
  readonly descriptors: Readonly<
    Record<
      string,
      {
        readonly id: string
        /** Names that the verifier has for what answers it. */
        readonly designations: readonly string[]
        /** `format` with the algorithms that it lists; a flow that an earlier version stored has none. */
        readonly format?: JsonObject | undefined
        /** What the credential must satisfy, which DCQL cannot say. */
        readonly fields: readonly FieldConstraint[]
      }
    >
  >
}

/** What a request asks for. */
export interface Asked {
  /** A DCQL query (1.0 §6). */
  readonly query: JsonObject
  /** Where it was made of a presentation definition. */
  readonly exchange?: ExchangeRequest | undefined
}

/** A presentation that answers a credential query. */
export interface Answer {
  readonly queryId: string
  /** Credential format identifier. */
  readonly format: string
  readonly presentation: string
}

export interface Reading {
  readonly formats: Formats
  /** Pays for what a stranger's query can make expensive. */
  readonly work: Work
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
  /** Whether credentials of a format are presented. */
  hasFormat(format: CredentialFormat): boolean
  /** @throws RefusedRequest */
  askedBy(parameters: JsonObject, reading: Reading): Asked
  /** What the wallet says of itself (1.0 §10), from what it would say in the terms of 1.0. */
  walletMetadataOf(metadata: JsonObject, formats: Formats): JsonObject
  /** The parameters of the answer (1.0 §8.1). */
  responseOf(
    answers: readonly Answer[],
    asked: Pick<Asked, 'exchange'>,
    making: { readonly formats: Formats; readonly newId: () => string },
  ): JsonObject
}
