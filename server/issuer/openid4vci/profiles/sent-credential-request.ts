import { z } from 'zod'
import { zCredentialRequest } from '../../../protocol/openid4vci/requests.js'

const ofDrafts = (description: string) =>
  z
    .unknown()
    .optional()
    .meta({ description: `In drafts: ${description}` })

/** A credential request as wallets send it: the members of OpenID4VCI 1.0 §8.2, and the members of its drafts. */
export const zSentCredentialRequest = z.object({
  ...zCredentialRequest.shape,
  proof: ofDrafts('one key proof, {"proof_type": "jwt", "jwt": …}. Accepted in every profile.'),
  format: ofDrafts('the format of the requested credential, with `vct`, `credential_definition` or `types`.'),
  vct: ofDrafts('the type of an SD-JWT VC.'),
  credential_definition: ofDrafts('an object with the `type` of a W3C credential.'),
  types: ofDrafts('the types of a W3C credential.'),
})

export type SentCredentialRequest = z.infer<typeof zSentCredentialRequest>
