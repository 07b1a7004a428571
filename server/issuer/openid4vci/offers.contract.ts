import { z } from 'zod'
import { route } from '../../contract.js'
import { zProtocolReply } from '../../protocol/oauth/reply.js'

/** Credential offer by reference (OpenID4VCI 1.0 §4.1.3). */
export const credentialOffer = {
  meta: route('GET', '/openid4vci/offers/{id}', {
    tag: 'OpenID4VCI',
    summary: 'A credential offer, with a fresh pre-authorized code each time',
    access: 'public',
    kind: 'protocol',
    errors: [400, 404],
  }),
  input: z.object({ id: z.string() }),
  output: zProtocolReply,
}
