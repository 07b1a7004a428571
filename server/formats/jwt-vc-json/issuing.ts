import { issueJwtVc } from '../../protocol/jwt-vc/issue.js'
import type { Issuing, SignedCredential, SigningRequest } from '../issuing.js'

function sign(request: SigningRequest): Promise<SignedCredential> {
  const { binding, validFrom, expiresAt } = request
  return issueJwtVc({
    signer: request.signer,
    issuer: request.issuerDid,
    id: `urn:uuid:${request.id}`,
    types: [request.type.name],
    claims: request.subject,
    schema: request.schema,
    status: request.status.bitstring,
    issuedAt: request.issuedAt,
    ...(validFrom === undefined ? {} : { validFrom }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(binding.subjectId === undefined ? {} : { subjectId: binding.subjectId }),
    ...(binding.holderKey === undefined ? {} : { holderKey: binding.holderKey }),
  })
}

export const issuing: Issuing = {
  configurationSuffix: '',
  title: 'a JWT VC',
  drafts: true,
  needsHolder: false,
  lacks: () => undefined,
  reservedClaims: new Set(),
  // No check is needed: `credentialSubject` can contain every value that a schema accepts.
  checkSubject: () => {},
  // OpenID4VCI 1.0 Appendix A.1.1.2
  typeMembers: ({ name }) => ({ credential_definition: { type: ['VerifiableCredential', name] } }),
  // OpenID4VCI 1.0 Appendix C: paths start at the credential.
  claimsOf: (claims) => claims.map((claim) => ({ ...claim, path: ['credentialSubject', ...claim.path] })),
  // Usually the subject is the DID of the holder, which binds the credential to the holder. `cnf` is added if the
  // offering names a different subject, or if the wallet's key proof named no DID.
  bindingTo: ({ did, jwk, kid }, subjectId) => ({
    subjectId: subjectId ?? did,
    holderKey: subjectId === undefined && kid !== undefined ? undefined : jwk,
  }),
  sign,
}
