import { z } from 'zod'
import { route, SMALL_BODY_BYTES } from '../../api/contract.js'
import { zProtocolReply } from '../../protocol/oauth/reply.js'

const parameter = z.string().optional()

/** Token Response (OpenID4VCI 1.0 §6.2). */
const zTokenResponse = z
  .object({
    access_token: z.string(),
    token_type: z.enum(['Bearer', 'DPoP']),
    expires_in: z.int(),
    refresh_token: parameter,
    scope: parameter,
    authorization_details: z.array(z.record(z.string(), z.unknown())).optional(),
    c_nonce: parameter.meta({ description: 'Only for offers of drafts 13 and 11.' }),
    c_nonce_expires_in: z.int().optional(),
  })
  .meta({ example: { access_token: 'hQ4c0kQz…', token_type: 'Bearer', expires_in: 300 } })

/** Token Request (OpenID4VCI 1.0 §6.1). */
export const token = {
  meta: route('POST', '/openid4vci/token', {
    tag: 'OpenID4VCI',
    summary: 'Exchange a code for an access token',
    description:
      'With a DPoP proof (RFC 9449), the token has the type DPoP, is bound to the key of the proof and expires after one hour. Without a proof, it is a Bearer token that expires after five minutes.',
    access: 'public',
    forWallets: true,
    kind: 'protocol',
    reply: zTokenResponse,
    form: true,
    maxBodyBytes: SMALL_BODY_BYTES,
    errors: [400, 401, 413, 415],
  }),
  input: z.object({
    grant_type: parameter,
    'pre-authorized_code': parameter,
    tx_code: parameter,
    user_pin: parameter.meta({ description: 'The transaction code in draft 11, instead of tx_code.' }),
    code: parameter,
    code_verifier: parameter,
    redirect_uri: parameter,
    refresh_token: parameter,
    scope: parameter.meta({
      description: 'Ids of offered configurations. They narrow the offer; other ids are ignored.',
    }),
    client_id: parameter,
    client_secret: parameter.meta({ description: 'Refused: clients authenticate only by attestation, or not at all.' }),
    client_assertion: parameter.meta({ description: 'Refused, as client_secret is.' }),
    authorization_details: parameter.meta({ description: 'JSON text (RFC 9396 §2).' }),
  }),
  output: zProtocolReply,
}
