import type { JsonObject } from '../../json/json-object.js'

const CREDENTIALS_VOCABULARY = 'https://www.w3.org/2018/credentials#'

/** `VerifiableCredential` in short form, and as the contexts of the W3C expand it. */
export const VERIFIABLE_CREDENTIAL_TYPES = [
  `${CREDENTIALS_VOCABULARY}VerifiableCredential`,
  'VerifiableCredential',
] as const

/** Contexts that define the type `VerifiableCredential`, both with the same IRI (VCDM 1.1 §4.1, VCDM 2.0 §4.3). */
const W3C_CONTEXTS: ReadonlySet<unknown> = new Set([
  'https://www.w3.org/2018/credentials/v1',
  'https://www.w3.org/ns/credentials/v2',
])

/**
 * The types of a credential, in short form and as its `@context` expands them (OpenID4VP 1.0 Appendix B.1.1). Only the W3C's
 * contexts are expanded; any other type stays a relative IRI.
 */
export function expandedTypesOf(vc: JsonObject): ReadonlySet<string> {
  const types = [vc.type].flat().filter((type) => typeof type === 'string')
  const expanded = new Set(types)
  const isW3c = [vc['@context']].flat().some((context) => W3C_CONTEXTS.has(context))
  if (isW3c && expanded.has('VerifiableCredential')) expanded.add(VERIFIABLE_CREDENTIAL_TYPES[0])
  return expanded
}
