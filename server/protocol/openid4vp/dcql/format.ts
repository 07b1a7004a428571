import type { z } from 'zod'
import type { JsonObject } from '../../json/json-object.js'
import type { Work } from '../../work.js'
import type { Exchange } from '../presentation-exchange/definition.js'
import type { JsonPath } from '../query/jsonpath/ast.js'
import type { CompiledItem } from '../query/vp-query.js'
import type { ClaimsPath } from './claims-query.js'

/** The types that an installation has. */
export interface KnownTypes {
  readonly issuerBaseUrl: string
  readonly names: readonly string[]
}

/** What a JSONPath of a VP query stands for in credentials of one format: a claim, or one of the other kinds of `FieldClaims`. */
export type PathMeaning = ClaimsPath | 'present' | 'absent' | 'inexpressible'

/** What queries must know of a credential format. */
export interface Querying {
  /** `meta` of a credential query (OpenID4VP 1.0 Appendix B). */
  readonly meta: z.ZodType<JsonObject>
  /** What the ids of credential queries that are made of a VP query end in. */
  readonly idSuffix: string
  /** Whether a presentation discloses the whole credential, whatever claims are asked for. */
  readonly disclosesAll: boolean
  /** Whether the holder's proof can authorize transactions: transaction data are defined for the format (OpenID4VP 1.0 Appendix B). */
  readonly authorizesTransactions: boolean
  /** What of a claims path names a claim of the subject: all of it where the subject is the root of the credential. */
  namesOf(path: ClaimsPath): ClaimsPath
  /** Whether a claims query may say `intent_to_retain` (OpenID4VP 1.0 Appendix B.2.4). */
  readonly retains: boolean
  /** The types that `meta` names: those of this installation by their names, others as credentials have them. */
  typesOf(meta: JsonObject, types: Pick<KnownTypes, 'issuerBaseUrl'>): readonly string[]
  /** What is wrong with a component of a claims path; undefined where nothing is. */
  pathFault(path: ClaimsPath): { readonly position: number; readonly message: string } | undefined
  /**
   * `meta` for an item of a VP query: several where one credential query cannot name all that will do, none where no credential of the
   * format can satisfy it.
   *
   * @param work pays for what an item can make expensive
   */
  metasOf(item: CompiledItem, types: KnownTypes, work: Work): readonly JsonObject[]
  /** What a path of an item stands for. `work` as above. */
  meaningOf(path: JsonPath, item: CompiledItem, types: KnownTypes, work: Work): PathMeaning
  /**
   * The format's entry of `vp_formats_supported` (OpenID4VP 1.0 §10.1, §11.1).
   *
   * @param algorithms of issuers' signatures.
   * @param holderAlgorithms of the proofs of holders.
   */
  vpFormat(algorithms: readonly string[], holderAlgorithms: readonly string[]): JsonObject
  /** The same for drafts of OpenID4VP. */
  readonly exchange: Exchange
}

/** A credential format as far as queries go. */
export interface QueryableFormat {
  readonly name: string
  readonly querying: Querying
}
