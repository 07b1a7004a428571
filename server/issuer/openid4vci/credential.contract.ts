import { z } from 'zod'
import { route } from '../../api/contract.js'
import { zProtocolReply } from '../../protocol/oauth/reply.js'
import { ENCRYPTED_TYPE } from '../../protocol/openid4vci/encryption.js'
import { zSentCredentialRequest } from './profiles/sent-credential-request.js'
import { OTHER_CONFIGURATION } from './refusals.js'

/** Credential Response (OpenID4VCI 1.0 §8.3). */
export const zCredentialResponse = z
  .object({ credentials: z.array(z.object({ credential: z.string() })), notification_id: z.string().optional() })
  .meta({
    example: { credentials: [{ credential: 'eyJhbGciOiJFUzI1NiJ9.eyJ2YyI6e319.c2ln' }], notification_id: '3fwe98js' },
  })

/** The answer to a wallet that has to wait (§8.3, §9.2). */
export const zWaitingResponse = z
  .object({
    transaction_id: z.string(),
    interval: z.int().meta({ description: 'Seconds until the wallet may ask again.' }),
  })
  .meta({ example: { transaction_id: '8xLOxBtZp8', interval: 5 } })

/** Credential Request (OpenID4VCI 1.0 §8.2). */
export const credential = {
  meta: route('POST', '/openid4vci/credential', {
    tag: 'OpenID4VCI',
    summary: 'Issue credentials to a wallet',
    description:
      'Credential Request (OpenID4VCI 1.0 §8), with a proof for each copy. A known configuration that the token does ' +
      'not cover causes a 403. For a deferred offer that is not yet decided, the answer is a 202 with a transaction for the ' +
      'deferred credential endpoint. The request may be encrypted for the key in the metadata. An encrypted request can ask for an ' +
      'encrypted answer with `credential_response_encryption` (§10). Errors are never encrypted.',
    access: 'wallet',
    forWallets: true,
    kind: 'protocol',
    alsoConsumes: ENCRYPTED_TYPE,
    alsoProduces: [ENCRYPTED_TYPE],
    reply: zCredentialResponse,
    accepted: zWaitingResponse,
    invalid: 'invalid_credential_request',
    errors: [400, { status: 403, message: OTHER_CONFIGURATION }, 413, 415],
  }),
  input: zSentCredentialRequest,
  output: zProtocolReply,
}
