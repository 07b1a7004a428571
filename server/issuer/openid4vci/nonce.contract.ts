import { z } from 'zod'
import { route } from '../../contract.js'
import { zProtocolReply } from '../../protocol/oauth/reply.js'

/** Nonce Request (OpenID4VCI 1.0 §7.1): it has neither body nor content type, and whatever it has is not looked at. */
export const nonce = {
  meta: route('POST', '/openid4vci/nonce', {
    tag: 'OpenID4VCI',
    summary: 'A nonce for key proofs',
    access: 'public',
    kind: 'protocol',
    form: 'or-json',
  }),
  input: z.object({}),
  output: zProtocolReply,
}
