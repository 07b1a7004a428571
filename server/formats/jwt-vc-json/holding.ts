import { decodeJwt } from '../../protocol/credential/verification.js'
import { didOf } from '../../protocol/did/did-url.js'
import { isObject, type JsonObject, objectOf } from '../../protocol/json/json-object.js'
import { createVpJwt } from '../../protocol/jwt-vc/presentation.js'
import { readBitstringEntry, statusEntriesOf, texts, vcClaimOf, vcObjectOf } from '../../protocol/jwt-vc/vc.js'
import { VERIFIABLE_CREDENTIAL_TYPES } from '../../protocol/openid4vp/dcql/w3c-types.js'
import { isListed } from '../../protocol/openid4vp/vp-formats.js'
import type { HolderPresentation, Holding, SignedWith } from '../holding.js'
import { jwtVcView } from './view.js'

const PRESENTATION_VALIDITY_MS = 5 * 60 * 1000

async function present(presentation: HolderPresentation): Promise<string> {
  const { compact, signer, proofWanted, nonce, audience, now, id } = presentation
  // OpenID4VP 1.0 Appendix B.1.3.1.5: without holder binding, the credential itself is the presentation.
  if (!proofWanted) return compact
  return createVpJwt({
    signer,
    holder: didOf(signer.kid) ?? signer.kid,
    credentials: [compact],
    nonce,
    audience,
    issuedAt: now,
    expiresAt: new Date(now.getTime() + PRESENTATION_VALIDITY_MS),
    id: `urn:uuid:${id}`,
  })
}

const DRAFT_CREDENTIALS = ['jwt_vc_json', 'jwt_vc']
const DRAFT_PRESENTATIONS = ['jwt_vp_json', 'jwt_vp']

/**
 * OpenID4VP 1.0 Appendix B.1.3.1.3 has one list of algorithms for credentials and presentations. In drafts (24,
 * Appendix B.1.1) and DIF Presentation Exchange, the list for credentials and the list for presentations have different
 * names.
 */
function isTakenBy(vpFormats: JsonObject, { compact, holderAlg, proofWanted }: SignedWith): boolean {
  const { alg_values: both } = objectOf(vpFormats.jwt_vc_json)
  const draft = (names: readonly string[]) =>
    names.map((name) => objectOf(vpFormats[name]).alg).find((list) => list !== undefined)
  const { alg } = decodeJwt(compact, 'Credential').header
  return (
    isListed(both ?? draft(DRAFT_CREDENTIALS), alg) &&
    (!proofWanted || isListed(both ?? draft(DRAFT_PRESENTATIONS), holderAlg))
  )
}

export const holding: Holding = {
  formerNames: [],
  alwaysBound: false,
  library: {
    checksConfigurations: true,
    query: (query) => query,
    credential: (types) => ({
      credential_format: 'jwt_vc_json',
      type: [...types, VERIFIABLE_CREDENTIAL_TYPES[0]],
      claims: {},
    }),
  },
  typesOf: ({ credential_definition: definition }) => (isObject(definition) ? texts(definition.type) : []),
  metaOf: (types) => ({ type_values: [[...types]] }),
  claimsOf: (compact) => {
    const { proof: _, ...vc } = vcObjectOf(compact)
    return vc
  },
  subjectOf: ({ credentialSubject }) => {
    const [subject] = [credentialSubject].flat()
    return isObject(subject) ? { ...subject } : {}
  },
  x5cOf: (compact) => decodeJwt(compact, 'Credential').header.x5c,
  statusOf: (compact) => statusEntriesOf(vcClaimOf(decodeJwt(compact, 'Credential').payload)).map(readBitstringEntry),
  isTakenBy,
  present,
  exchange: {
    viewOf: (compact) => jwtVcView(decodeJwt(compact, 'Credential').payload),
    submittedAs: (path, designations) => {
      // The names of DIF Presentation Exchange are used if the verifier knows no other names.
      const isFormer = designations.length > 0 && designations.every((name) => name === 'jwt_vc' || name === 'jwt_vp')
      const [presented, credential] = isFormer ? ['jwt_vp', 'jwt_vc'] : ['jwt_vp_json', 'jwt_vc_json']
      return { format: presented, path, path_nested: { format: credential, path: '$.vp.verifiableCredential[0]' } }
    },
  },
}
