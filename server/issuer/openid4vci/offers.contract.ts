import { z } from 'zod'
import { route } from '../../api/contract.js'
import { zProtocolReply } from '../../protocol/oauth/reply.js'
import { offerNotFound } from './refusals.js'

const zCredentialOffer = z
  .object({
    credential_issuer: z.string(),
    credential_configuration_ids: z.array(z.string()),
    grants: z.record(z.string(), z.record(z.string(), z.unknown())),
  })
  .meta({
    example: {
      credential_issuer: 'https://credence.example.org',
      credential_configuration_ids: ['ProofOfPurchase', 'ProofOfPurchase-sd-jwt'],
      grants: {
        'urn:ietf:params:oauth:grant-type:pre-authorized_code': { 'pre-authorized_code': 'oaKazRN8I0IbtZ0C7JuMn5' },
      },
    },
  })

/** Credential offer by reference (OpenID4VCI 1.0 §4.1.3). */
export const credentialOffer = {
  meta: route('GET', '/openid4vci/offers/{id}', {
    tag: 'OpenID4VCI',
    summary: 'A credential offer',
    description:
      'OpenID4VCI 1.0 §4.1.3. Each GET returns a new pre-authorized code; a HEAD makes none. The `issuer_state` of an offer for an ' +
      'authorization code is the same at each GET.',
    access: 'public',
    forWallets: true,
    kind: 'protocol',
    reply: zCredentialOffer,
    errors: [400, offerNotFound()],
  }),
  input: z.object({ id: z.string() }),
  output: zProtocolReply,
}
