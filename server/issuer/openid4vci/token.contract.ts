import { z } from 'zod'
import { route } from '../../contract.js'
import { zProtocolReply } from '../../protocol/oauth/reply.js'

/** Token Request (OpenID4VCI 1.0 §6.1). */
export const token = {
  meta: route('POST', '/openid4vci/token', {
    tag: 'OpenID4VCI',
    summary: 'Exchange a code for an access token',
    access: 'public',
    kind: 'protocol',
    form: true,
    errors: [400, 413, 415],
  }),
  input: z.looseObject({
    grant_type: z.string({ error: 'is missing' }),
    'pre-authorized_code': z.string().optional(),
    tx_code: z.string().optional(),
    authorization_details: z.unknown().optional(),
  }),
  output: zProtocolReply,
}
