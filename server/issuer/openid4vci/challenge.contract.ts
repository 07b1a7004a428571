import { z } from 'zod'
import { route } from '../../api/contract.js'
import { errors } from '../../api/errors.js'
import { zProtocolReply } from '../../protocol/oauth/reply.js'

/** Challenge Request (Attestation-Based Client Authentication, draft 07, §8.1). */
export const challenge = {
  meta: route('POST', '/openid4vci/challenge', {
    tag: 'OpenID4VCI',
    summary: 'A challenge for the proof of a wallet attestation',
    description:
      'A challenge expires after five minutes. The endpoint does not exist if no wallet provider is trusted.',
    access: 'public',
    forWallets: true,
    kind: 'protocol',
    reply: z
      .object({ attestation_challenge: z.string() })
      .meta({ example: { attestation_challenge: 'AYjcyMzY3ZDhiNmJkNTZ' } }),
    maxBodyBytes: 0,
    errors: [errors.routeNotFound('POST', '/openid4vci/challenge')],
  }),
  input: z.object({}),
  output: zProtocolReply,
}
