import { z } from 'zod'
import { route } from '../../api/contract.js'
import { zProtocolReply } from '../../protocol/oauth/reply.js'

/** Nonce Request (OpenID4VCI 1.0 §7.1): it has no body and no content type. A sent body is not read. */
export const nonce = {
  meta: route('POST', '/openid4vci/nonce', {
    tag: 'OpenID4VCI',
    summary: 'A nonce for key proofs',
    description:
      'Nonce Request (OpenID4VCI 1.0 §7). A nonce is valid for five minutes and for one credential request. A body ' +
      'is not read.',
    access: 'public',
    forWallets: true,
    kind: 'protocol',
    reply: z.object({ c_nonce: z.string() }).meta({ example: { c_nonce: 'wKI4LT17ac15ES9bw8ac4' } }),
    maxBodyBytes: 0,
  }),
  input: z.object({}),
  output: zProtocolReply,
}
