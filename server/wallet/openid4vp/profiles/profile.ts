import type { CredentialFormat } from '../../../formats/format.js'
import type { Formats } from '../../../formats/registry.js'
import type { JsonObject } from '../../../protocol/json/json-object.js'
import type { FieldConstraint } from '../../../protocol/openid4vp/query/vp-query.js'
import type { Work } from '../../../protocol/work.js'

export type ProfileName = 'final' | 'draft24' | 'draft21'

/** The claimed sender of a request, in the terms of OpenID4VP 1.0 §5.9, for every profile. */
export interface ClaimedVerifier {
  /** `pre-registered` if the client identifier has no prefix (§5.9.2). */
  readonly prefix: string
  /** The client identifier without its prefix. */
  readonly identifier: string
}

/** Parts of a presentation definition (DIF Presentation Exchange 2) that its answer needs, beside the DCQL query made from it. */
export interface ExchangeRequest {
  readonly definitionId: string
  /** The input descriptor of each credential query, by the query's id. */
  readonly descriptors: Readonly<
    Record<
      string,
      {
        readonly id: string
        /** The verifier's names for the formats that may answer this descriptor. */
        readonly designations: readonly string[]
        /** `format` with its algorithms; absent in flows that an earlier version stored. */
        readonly format?: JsonObject | undefined
        /** Constraints on the credential that DCQL cannot express. */
        readonly fields: readonly FieldConstraint[]
      }
    >
  >
}

/** The query of a request. */
export interface Asked {
  /** A DCQL query (1.0 §6). */
  readonly query: JsonObject
  /** Present if the query was made from a presentation definition. */
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
  /** The budget for the parts of a stranger's query that can be expensive. */
  readonly work: Work
}

/**
 * Translates between OpenID4VP 1.0, or a draft of it, and the terms of 1.0. All code outside the profiles knows only the terms of
 * 1.0. `parameters` are the unchecked parameters of a request.
 */
export interface Profile {
  readonly name: ProfileName
  /** Parameters that must be equal in the address and in the request object. */
  readonly addressed: readonly string[]
  /** Whether a request object may have this `typ`, given in lower case and without `application/`. */
  allowsType(typ: string | undefined): boolean
  verifierOf(parameters: JsonObject): ClaimedVerifier
  /** `client_metadata` in the terms of 1.0; empty if the request has none. */
  clientMetadataOf(parameters: JsonObject): JsonObject
  /** Whether credentials of a format can be presented. */
  hasFormat(format: CredentialFormat): boolean
  /** @throws RefusedRequest */
  askedBy(parameters: JsonObject, reading: Reading): Asked
  /** Converts the wallet's metadata from the terms of 1.0 (1.0 §10). */
  walletMetadataOf(metadata: JsonObject, formats: Formats): JsonObject
  /** The parameters of the answer (1.0 §8.1). */
  responseOf(
    answers: readonly Answer[],
    asked: Pick<Asked, 'exchange'>,
    making: { readonly formats: Formats; readonly newId: () => string },
  ): JsonObject
}
