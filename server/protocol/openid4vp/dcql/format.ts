import type { z } from 'zod'
import type { JsonObject } from '../../json/json-object.js'
import type { Work } from '../../work.js'
import type { Exchange } from '../presentation-exchange/definition.js'
import type { JsonPath } from '../query/jsonpath/ast.js'
import type { CompiledItem } from '../query/vp-query.js'
import type { ClaimsPath } from './claims-query.js'

/** The credential types of an installation. */
export interface KnownTypes {
  readonly issuerBaseUrl: string
  readonly names: readonly string[]
}

/**
 * What a JSONPath of a VP query means for credentials of one format: a claims path, or a kind of `FieldClaims` that has
 * no path.
 */
export type PathMeaning = ClaimsPath | 'present' | 'absent' | 'inexpressible'

/** Properties of a credential format that queries need. */
export interface Querying {
  /** `meta` of a credential query (OpenID4VP 1.0 Appendix B). */
  readonly meta: z.ZodType<JsonObject>
  /** Suffix of the ids of credential queries that are made from a VP query. */
  readonly idSuffix: string
  /** Whether a presentation discloses the whole credential, independent of the requested claims. */
  readonly disclosesAll: boolean
  /** Whether the holder's proof can authorize transactions: OpenID4VP 1.0 Appendix B defines transaction data for the format. */
  readonly authorizesTransactions: boolean
  /**
   * Returns the part of a claims path that begins at the subject. That is the whole path if the subject is the root of
   * the credential.
   */
  namesOf(path: ClaimsPath): ClaimsPath
  /** Whether a claims query may contain `intent_to_retain` (OpenID4VP 1.0 Appendix B.2.4). */
  readonly retains: boolean
  /**
   * The types that `meta` names. A type of this installation is returned as its name, any other type as it is written
   * in credentials.
   */
  typesOf(meta: JsonObject, types: Pick<KnownTypes, 'issuerBaseUrl'>): readonly string[]
  /** The fault of a component of a claims path; undefined if the path is correct. */
  pathFault(path: ClaimsPath): { readonly position: number; readonly message: string } | undefined
  /**
   * `meta` for an item of a VP query. There are several entries if one credential query cannot name all acceptable
   * credentials. Empty if no credential of the format can satisfy the item.
   *
   * @param work the budget for the parts of an item that can be expensive
   */
  metasOf(item: CompiledItem, types: KnownTypes, work: Work): readonly JsonObject[]
  /** Returns what a path of an item means. `work` as for `metasOf`. */
  meaningOf(path: JsonPath, item: CompiledItem, types: KnownTypes, work: Work): PathMeaning
  /**
   * The format's entry of `vp_formats_supported` (OpenID4VP 1.0 §10.1, §11.1).
   *
   * @param algorithms of issuers' signatures.
   * @param holderAlgorithms of the proofs of holders.
   */
  vpFormat(algorithms: readonly string[], holderAlgorithms: readonly string[]): JsonObject
  /** The properties for drafts of OpenID4VP. */
  readonly exchange: Exchange
}

/** The part of a credential format that queries use. */
export interface QueryableFormat {
  readonly name: string
  readonly querying: Querying
}
