import { CredentialError } from '../../protocol/credential/verification.js'
import { isObject, type JsonObject, objectOf } from '../../protocol/json/json-object.js'
import { elementPathOf } from '../../protocol/mdoc/dcql.js'
import type { ElementPath } from '../../protocol/mdoc/mdoc.js'
import type { HolderPresentation, Holding, SignedWith } from '../holding.js'
import { loadMdoc } from './load.js'
import { statusOf } from './status.js'

const contentOf = async (compact: string) => (await loadMdoc()).readMdoc(compact)

/** OpenID4VP 1.0 §7.2: only a path of a namespace and an identifier leads to an element. */
function elementOf(path: HolderPresentation['disclose'][number]): ElementPath {
  const element = elementPathOf([...path])
  if (element === undefined) throw new CredentialError('A claims path is none into an mdoc.')
  return element
}

/** OpenID4VP 1.0 Appendix B.2.2 */
async function isTakenBy(vpFormats: JsonObject, { compact, holderAlg }: SignedWith): Promise<boolean> {
  const { coseAlgorithmsOf, isListedCose, issuerAlgorithmOf } = await loadMdoc()
  const { issuerauth_alg_values: issuers, deviceauth_alg_values: devices } = objectOf(vpFormats.mso_mdoc)
  return isListedCose(issuers, issuerAlgorithmOf(compact)) && isListedCose(devices, coseAlgorithmsOf(holderAlg)[0])
}

/** OpenID4VP 1.0 Appendix B.2.5: the device always signs, even if the verifier requires no proof. */
async function present({ compact, disclose, signer, nonce, handover }: HolderPresentation): Promise<string> {
  const { presentMdoc, redirectTranscript } = await loadMdoc()
  return presentMdoc({
    issuerSigned: compact,
    disclose: disclose.map(elementOf),
    sessionTranscript: redirectTranscript({ ...handover, nonce }),
    signer,
  })
}

/**
 * Keeps only claims queries whose path is valid in OpenID4VP 1.0 (§7.2). The library is less strict: it also accepts
 * paths of drafts, and it ignores path components after the second component. A malformed path is removed, so that the
 * library refuses the claim.
 */
function asFinal(query: JsonObject): JsonObject {
  if (!Array.isArray(query.claims)) return query
  const claims = query.claims.map((claim: unknown) => {
    if (!isObject(claim)) return claim
    const { namespace: _, claim_name: __, path, ...others } = claim
    return isElementPath(path) ? { ...others, path } : others
  })
  return { ...query, claims }
}

const isElementPath = (path: unknown): boolean =>
  Array.isArray(path) && path.length === 2 && path.every((name) => typeof name === 'string')

export const holding: Holding = {
  formerNames: [],
  alwaysBound: true,
  library: {
    checksConfigurations: true,
    query: asFinal,
    credential: ([doctype = '']) => ({ credential_format: 'mso_mdoc', doctype, namespaces: {} }),
  },
  typesOf: ({ doctype }) => (typeof doctype === 'string' ? [doctype] : []),
  metaOf: ([doctype = '']) => ({ doctype_value: doctype }),
  claimsOf: async (compact) => (await contentOf(compact)).claims,
  subjectOf: (claims) => ({ ...claims }),
  x5cOf: async (compact) => (await contentOf(compact)).x5c,
  statusOf: async (compact) => statusOf(await contentOf(compact)),
  isTakenBy,
  present,
}
