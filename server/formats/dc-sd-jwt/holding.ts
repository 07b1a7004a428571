import { decodeJwt, type StatusReference } from '../../protocol/credential/verification.js'
import { isObject, type JsonObject, objectOf } from '../../protocol/json/json-object.js'
import { isListed } from '../../protocol/openid4vp/vp-formats.js'
import { splitSdJwt } from '../../protocol/sd-jwt-vc/compact.js'
import { processDisclosures } from '../../protocol/sd-jwt-vc/disclosures.js'
import { createKeyBinding } from '../../protocol/sd-jwt-vc/key-binding.js'
import { presentSdJwtVc } from '../../protocol/sd-jwt-vc/present.js'
import type { AuthorizedHashes, HolderPresentation, Holding, SignedWith } from '../holding.js'
import { FORMER_NAME } from './former-name.js'
import { sdJwtVcView } from './view.js'

/** Claims that are not about the subject. */
const TECHNICAL: ReadonlySet<string> = new Set([
  'iss',
  'iat',
  'nbf',
  'exp',
  'vct',
  'vct#integrity',
  'cnf',
  'status',
  'jti',
])

const issuerJwt = (compact: string) => decodeJwt(splitSdJwt(compact).issuerJwt, 'Credential')

function claimsOf(compact: string): JsonObject {
  const { issuerJwt: jwt, disclosures } = splitSdJwt(compact)
  return processDisclosures(decodeJwt(jwt, 'Credential').payload, disclosures).claims
}

function statusOf(compact: string): readonly StatusReference[] {
  const { status } = issuerJwt(compact).payload
  const list = isObject(status) ? status.status_list : undefined
  if (!isObject(list) || typeof list.uri !== 'string' || typeof list.idx !== 'number') return []
  return [{ uri: list.uri, idx: list.idx }]
}

function subjectOf({ sub, ...rest }: JsonObject): Record<string, unknown> {
  const about = Object.entries(rest).filter(([name]) => !TECHNICAL.has(name))
  return { ...(typeof sub === 'string' ? { id: sub } : {}), ...Object.fromEntries(about) }
}

/** OpenID4VP 1.0 Appendix B.3.3.1. */
const hashClaims = ({ hashes, alg }: AuthorizedHashes): JsonObject => ({
  transaction_data_hashes: hashes,
  ...(alg === undefined ? {} : { transaction_data_hashes_alg: alg }),
})

/**
 * OpenID4VP 1.0 Appendix B.3.4. If the metadata have an entry under the format's current name, all entries under former
 * names are ignored.
 */
function isTakenBy(vpFormats: JsonObject, { compact, holderAlg, proofWanted }: SignedWith): boolean {
  const listed = objectOf(vpFormats['dc+sd-jwt'] ?? vpFormats[FORMER_NAME])
  return (
    isListed(listed['sd-jwt_alg_values'], issuerJwt(compact).header.alg) &&
    (!proofWanted || isListed(listed['kb-jwt_alg_values'], holderAlg))
  )
}

async function present(presentation: HolderPresentation): Promise<string> {
  const { compact, disclose, signer, proofWanted, nonce, audience, now, transactionDataHashes } = presentation
  const sdJwt = presentSdJwtVc(compact, disclose)
  // OpenID4VP 1.0 Appendix B.3.6: without holder binding the SD-JWT may be sent without a Key Binding JWT, and then
  // reveals less.
  if (!proofWanted) return sdJwt
  const claims = transactionDataHashes === undefined ? {} : hashClaims(transactionDataHashes)
  return createKeyBinding({ signer, sdJwt, nonce, audience, issuedAt: now, claims })
}

export const holding: Holding = {
  formerNames: [FORMER_NAME],
  alwaysBound: false,
  library: {
    checksConfigurations: true,
    query: (query) => {
      if (query.format !== FORMER_NAME) return query
      // Drafts also used this format name for W3C credentials.
      return isObject(query.meta) && query.meta.vct_values !== undefined ? { ...query, format: 'dc+sd-jwt' } : undefined
    },
    credential: ([vct = '']) => ({ credential_format: 'dc+sd-jwt', vct, claims: {} }),
  },
  typesOf: ({ vct }) => (typeof vct === 'string' ? [vct] : []),
  metaOf: (types) => ({ vct_values: [...types] }),
  claimsOf,
  subjectOf,
  x5cOf: (compact) => issuerJwt(compact).header.x5c,
  statusOf,
  isTakenBy,
  present,
  exchange: {
    viewOf: (compact, installation) => sdJwtVcView(claimsOf(compact), installation),
    submittedAs: (path, [name = FORMER_NAME]) => ({ format: name, path }),
  },
}
