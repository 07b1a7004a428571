import type { Issuing } from '../../../server/formats/issuing.js'
import { confirmationOf, numericDate } from '../../../server/protocol/credential/verification.js'
import { signCompact } from '../../../server/protocol/jose/jws.js'
import { joinToy } from './compact.js'

export const issuing: Issuing = {
  drafts: true,
  needsHolder: false,
  lacks: () => undefined,
  configurationSuffix: '-toy',
  title: 'a toy',
  reservedClaims: new Set(['teddy']),
  checkSubject: () => {},
  typeMembers: ({ name }) => ({ toy_kind: name }),
  claimsOf: (claims, { name }) => claims.map((claim) => ({ ...claim, path: [name, ...claim.path] })),
  bindingTo: ({ jwk }, subjectId) => ({ subjectId, holderKey: jwk }),
  sign: async ({ signer, issuerDid, type, subject, binding, id, status, issuedAt, expiresAt }) => {
    const payload = {
      iss: issuerDid,
      jti: id,
      iat: numericDate(issuedAt),
      ...(expiresAt === undefined ? {} : { exp: numericDate(expiresAt) }),
      ...(binding.holderKey === undefined ? {} : { cnf: confirmationOf(binding.holderKey) }),
      kind: type.name,
      claims: subject,
      status: status.token,
    }
    return { compact: joinToy(await signCompact(signer, { typ: 'toy+jwt' }, payload)), vc: undefined }
  },
}
