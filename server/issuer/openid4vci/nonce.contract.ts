import { z } from 'zod'
import { route } from '../../contract.js'
import { zProtocolReply } from '../../protocol/oauth/reply.js'

/** Nonce Request (OpenID4VCI 1.0 §7.1): it has neither body nor content type, and whatever it has is not read. */
export const nonce = {
  meta: route('POST', '/openid4vci/nonce', {
    tag: 'OpenID4VCI',
    summary: 'A nonce for key proofs',
    access: 'public',
    kind: 'protocol',
    reply: z.object({ c_nonce: z.string() }).meta({ example: { c_nonce: 'wKI4LT17ac15ES9bw8ac4' } }),
    maxBodyBytes: 0,
  }),
  input: z.object({}),
  output: zProtocolReply,
}
