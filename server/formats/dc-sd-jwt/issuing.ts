import type { ClaimPath } from '../../protocol/json-schema/declared-claims.js'
import { issueSdJwtVc } from '../../protocol/sd-jwt-vc/issue.js'
import { issuerNameOf } from '../../protocol/sd-jwt-vc/issuer-name.js'
import { checkSubjectClaims, REGISTERED_CLAIMS } from '../../protocol/sd-jwt-vc/registered-claims.js'
import type { Issuing, SignedCredential, SigningRequest } from '../issuing.js'
import { FORMER_NAME } from './former-name.js'
import { vctOf } from './vct.js'

const DECOYS = 0

async function sign(request: SigningRequest, typ: 'dc+sd-jwt' | 'vc+sd-jwt'): Promise<SignedCredential> {
  const { installation, type, binding, validFrom, expiresAt, x5c } = request
  const { id: _, ...claims } = request.subject
  const compact = await issueSdJwtVc({
    typ,
    signer: request.signer,
    issuer: issuerNameOf(installation, request.issuerDid, x5c),
    ...(x5c === null ? {} : { x5c }),
    vct: vctOf(installation, type.name),
    claims,
    selectivelyDisclosable: type.selectivelyDisclosable ?? 'all',
    decoys: DECOYS,
    status: request.status.token,
    randomBytes: request.randomBytes,
    issuedAt: request.issuedAt,
    ...(validFrom === undefined ? {} : { validFrom }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(binding.subjectId === undefined ? {} : { subject: binding.subjectId }),
    ...(binding.holderKey === undefined ? {} : { holderKey: binding.holderKey }),
  })
  return { compact, vc: undefined }
}

/** The path of a claim in the SD-JWT VC. Undefined for the subject's `id`, which becomes `sub`. */
export const claimPath = (path: ClaimPath): ClaimPath | undefined => (path[0] === 'id' ? undefined : path)

export const issuing: Issuing = {
  configurationSuffix: '-sd-jwt',
  title: 'an SD-JWT VC',
  drafts: true,
  chain: 'token',
  needsHolder: false,
  lacks: () => undefined,
  reservedClaims: REGISTERED_CLAIMS,
  checkSubject: checkSubjectClaims,
  // OpenID4VCI 1.0 Appendix A.3.2
  typeMembers: ({ name }, installation) => ({ vct: vctOf(installation, name) }),
  claimsOf: (claims) => claims.filter(({ path }) => claimPath(path) !== undefined),
  // `cnf` names the key as the wallet's key proof named it, by `kid` or as a JWK. Wallets find the key by this name.
  bindingTo: ({ did, jwk, kid }, subjectId) =>
    kid === undefined ? { subjectId, holderKey: jwk } : { subjectId: subjectId ?? did, holderKey: { kid } },
  sign: (request) => sign(request, 'dc+sd-jwt'),
}

/** Issues the format under its former name. The `typ` header has the former name too. */
export const formerIssuing: Issuing = {
  ...issuing,
  configurationSuffix: '-sd-jwt-legacy',
  sign: (request) => sign(request, FORMER_NAME),
}
