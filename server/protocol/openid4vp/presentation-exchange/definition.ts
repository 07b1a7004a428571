import type { JsonObject } from '../../json/json-object.js'

/**
 * A field of an input descriptor (DIF Presentation Exchange 2 §5): the paths to a value, and the value's JSON Schema.
 * The first path that selects a value counts.
 */
export interface Field {
  readonly path: readonly string[]
  readonly filter?: JsonObject
}

/** Requirements for one credential of the answer. */
export interface InputDescriptor {
  readonly id: string
  /** Groups of submission requirements that the descriptor belongs to, if there are any. */
  readonly group?: readonly string[]
  readonly format: JsonObject
  readonly constraints: { readonly limit_disclosure?: 'required'; readonly fields: readonly Field[] }
}

/**
 * Says which input descriptors are requested (§7, the Submission Requirement Feature): all descriptors of a group, or
 * some of them.
 */
export type SubmissionRequirement = (
  | { readonly rule: 'all' }
  | { readonly rule: 'pick'; readonly count: number }
  | { readonly rule: 'pick'; readonly min: number; readonly max: number }
) &
  ({ readonly from: string } | { readonly from_nested: readonly SubmissionRequirement[] })

/**
 * `presentation_definition` (DIF Presentation Exchange 2 §5; OpenID4VP draft 21 §5.1). Without submission requirements,
 * it requests every descriptor.
 */
export interface PresentationDefinition {
  readonly id: string
  readonly input_descriptors: readonly InputDescriptor[]
  readonly submission_requirements?: readonly SubmissionRequirement[]
}

/** Properties of a credential format for drafts of OpenID4VP that use Presentation Exchange or list formats in `vp_formats`. */
export interface Exchange {
  /** Entries of `vp_formats`, for the credential and for its presentation. */
  vpFormats(algorithms: readonly string[], holderAlgorithms: readonly string[]): JsonObject
  /** DIF's names for entries of `vp_formats`. The libraries of wallets search an input descriptor for these names. */
  readonly difNames: Readonly<Record<string, string>>
  /** Accepted values of `format` in a descriptor map, for presentations of this credential format. */
  readonly presentedAs: readonly string[]
  /** Returns the fields that require the type in the `meta` of a credential query. */
  typeFields(meta: JsonObject): readonly Field[]
  /**
   * Returns the possible paths of a claim. Some wallets start at the credential itself, others at the JWT that contains
   * it.
   */
  jsonPathsOf(path: readonly (string | number | null)[]): readonly string[]
  /** A claim that every presentation discloses. Undefined if the format has no such claim. */
  readonly alwaysDisclosed: string | undefined
}

/** The accepted algorithms: of issuers' signatures, and of holders' proofs. */
export interface ExchangeAlgorithms {
  readonly algorithms: readonly string[]
  readonly holderAlgorithms: readonly string[]
}

/**
 * `format` of an input descriptor, with entries under every name. `vp_formats` of the same request must have the same
 * entries (OpenID4VP draft 21 §5.1): a wallet ignores all other formats.
 */
export function descriptorFormats(
  { vpFormats, difNames }: Exchange,
  { algorithms, holderAlgorithms }: ExchangeAlgorithms,
): JsonObject {
  const formats = vpFormats(algorithms, holderAlgorithms)
  const alsoNamed = Object.entries(difNames).map(([name, dif]) => [dif, formats[name]])
  return { ...formats, ...Object.fromEntries(alsoNamed) }
}

/** A filter that accepts exactly the values of the list. */
export const oneOf = (values: readonly unknown[]): JsonObject =>
  values.length === 1 ? { const: values[0] } : { enum: [...values] }

/** Writes a claims path pointer (OpenID4VP 1.0 §7) as a JSONPath (RFC 9535) that begins with `root`. */
export const jsonPathOf = (path: readonly (string | number | null)[], root = '$'): string =>
  path.reduce<string>((text, component) => `${text}${segmentOf(component)}`, root)

function segmentOf(component: string | number | null): string {
  if (component === null) return '[*]'
  if (typeof component === 'number') return `[${component}]`
  return /^[A-Za-z_]\w*$/.test(component) ? `.${component}` : `[${JSON.stringify(component)}]`
}
