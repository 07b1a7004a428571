import { route, SMALL_BODY_BYTES } from '../../../api/contract.js'
import { zProtocolReply } from '../../../protocol/oauth/reply.js'
import { ENCRYPTED_TYPE } from '../../../protocol/openid4vci/encryption.js'
import { zDeferredCredentialRequest } from '../../../protocol/openid4vci/requests.js'
import { zCredentialResponse, zWaitingResponse } from '../credential.contract.js'
import { OTHER_CONFIGURATION } from '../refusals.js'

/** Deferred Credential Request (OpenID4VCI 1.0 §9.1). */
export const deferredCredential = {
  meta: route('POST', '/openid4vci/deferred-credential', {
    tag: 'OpenID4VCI',
    summary: 'Issue deferred credentials to a wallet',
    description:
      'Deferred Credential Request (OpenID4VCI 1.0 §9), with an access token of the same authorization. The credentials are ' +
      'taken once. A wallet that loses the answer asks the credential endpoint again. 202 until the issuer decides. Encrypted ' +
      'in the same way as at the credential endpoint.',
    access: 'wallet',
    forWallets: true,
    kind: 'protocol',
    alsoConsumes: ENCRYPTED_TYPE,
    alsoProduces: [ENCRYPTED_TYPE],
    reply: zCredentialResponse,
    accepted: zWaitingResponse,
    invalid: 'invalid_credential_request',
    maxBodyBytes: SMALL_BODY_BYTES,
    errors: [400, { status: 403, message: OTHER_CONFIGURATION }, 413, 415],
  }),
  input: zDeferredCredentialRequest,
  output: zProtocolReply,
}
