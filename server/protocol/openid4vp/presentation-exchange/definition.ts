import type { JsonObject } from '../../json/json-object.js'

/** A field of an input descriptor (DIF Presentation Exchange 2 §5): a value at the first path that selects one, and a JSON Schema for it. */
export interface Field {
  readonly path: readonly string[]
  readonly filter?: JsonObject
}

/** What one credential of the answer must be. */
export interface InputDescriptor {
  readonly id: string
  /** Groups of submission requirements that it belongs to, where there are any. */
  readonly group?: readonly string[]
  readonly format: JsonObject
  readonly constraints: { readonly limit_disclosure?: 'required'; readonly fields: readonly Field[] }
}

/** Which input descriptors are asked for (§7, the Submission Requirement Feature): all of a group, or some. */
export type SubmissionRequirement = (
  | { readonly rule: 'all' }
  | { readonly rule: 'pick'; readonly count: number }
  | { readonly rule: 'pick'; readonly min: number; readonly max: number }
) &
  ({ readonly from: string } | { readonly from_nested: readonly SubmissionRequirement[] })

/** `presentation_definition` (DIF Presentation Exchange 2 §5; OpenID4VP draft 21 §5.1): every descriptor is asked for where there are no requirements. */
export interface PresentationDefinition {
  readonly id: string
  readonly input_descriptors: readonly InputDescriptor[]
  readonly submission_requirements?: readonly SubmissionRequirement[]
}

/** What the drafts of OpenID4VP that ask by Presentation Exchange, or list formats in `vp_formats`, must know of a credential format. */
export interface Exchange {
  /** Entries of `vp_formats`: of the credential, and of what it is presented in. */
  vpFormats(algorithms: readonly string[], holderAlgorithms: readonly string[]): JsonObject
  /** Entries of `vp_formats` by the names that DIF has for them: libraries of wallets look for these in an input descriptor. */
  readonly difNames: Readonly<Record<string, string>>
  /** What `format` of a descriptor map may say of such a presentation. */
  readonly presentedAs: readonly string[]
  /** What `meta` of a credential query says of the type. */
  typeFields(meta: JsonObject): readonly Field[]
  /** Where a claim may stand in a credential, as wallets look at it: as it is, or as the JWT around it has it. */
  jsonPathsOf(path: readonly (string | number | null)[]): readonly string[]
  /** A claim that every presentation discloses, where a holder chooses what to disclose. */
  readonly alwaysDisclosed: string | undefined
}

/** Algorithms of issuers and holders. */
export interface ExchangeAlgorithms {
  readonly algorithms: readonly string[]
  readonly holderAlgorithms: readonly string[]
}

/**
 * `format` of an input descriptor: entries by every name. `vp_formats` beside it must have all of them, since a wallet ignores
 * formats that are not listed there (OpenID4VP draft 21 §5.1).
 */
export function descriptorFormats(
  { vpFormats, difNames }: Exchange,
  { algorithms, holderAlgorithms }: ExchangeAlgorithms,
): JsonObject {
  const formats = vpFormats(algorithms, holderAlgorithms)
  const alsoNamed = Object.entries(difNames).map(([name, dif]) => [dif, formats[name]])
  return { ...formats, ...Object.fromEntries(alsoNamed) }
}

/** A filter that one of some values satisfies. */
export const oneOf = (values: readonly unknown[]): JsonObject =>
  values.length === 1 ? { const: values[0] } : { enum: [...values] }

/** A claims path pointer (OpenID4VP 1.0 §7) as JSONPath (RFC 9535), below some other path. */
export const jsonPathOf = (path: readonly (string | number | null)[], root = '$'): string =>
  path.reduce<string>((text, component) => `${text}${segmentOf(component)}`, root)

function segmentOf(component: string | number | null): string {
  if (component === null) return '[*]'
  if (typeof component === 'number') return `[${component}]`
  return /^[A-Za-z_]\w*$/.test(component) ? `.${component}` : `[${JSON.stringify(component)}]`
}
