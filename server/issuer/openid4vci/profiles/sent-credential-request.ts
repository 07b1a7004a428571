import { z } from 'zod'
import { zCredentialRequest } from '../../../protocol/openid4vci/requests.js'

/** A credential request as wallets send it: that of OpenID4VCI 1.0 §8.2, and what its drafts had in its place. */
export const zSentCredentialRequest = z.object({
  ...zCredentialRequest.shape,
  proof: z
    .unknown()
    .optional()
    .meta({ description: 'One key proof, as wallets of earlier drafts send it: {"proof_type": "jwt", "jwt": …}.' }),
})

export type SentCredentialRequest = z.infer<typeof zSentCredentialRequest>
