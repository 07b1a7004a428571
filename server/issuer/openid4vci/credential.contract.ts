import { route } from '../../contract.js'
import { zProtocolReply } from '../../protocol/oauth/reply.js'
import { zCredentialRequest } from '../../protocol/openid4vci/requests.js'

/** Credential Request (OpenID4VCI 1.0 §8.2). */
export const credential = {
  meta: route('POST', '/openid4vci/credential', {
    tag: 'OpenID4VCI',
    summary: 'Issue credentials to a wallet',
    access: 'wallet',
    kind: 'protocol',
    invalid: 'invalid_credential_request',
    errors: [400, 403, 413, 415],
  }),
  input: zCredentialRequest,
  output: zProtocolReply,
}
