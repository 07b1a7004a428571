import { z } from 'zod'
import { route } from '../../api/contract.js'
import type { Formats } from '../../formats/registry.js'
import { zWalletCredential } from '../credentials/credentials.contract.js'

/** Long enough for an offer or a request by value. */
const MAX_URI = 65_536

export const processUri = (formats: Formats) => ({
  meta: route('POST', '/holders/{holderId}/process', {
    tag: 'Holders',
    summary: 'Let a hosted wallet take a credential offer or answer an authorization request',
    description:
      'The wallet takes an offer in every format that it can hold, unless the offer goes beyond the registration of its issuer (400). It answers a request with credentials that it chooses. A request ' +
      'with transaction data is a 400, and its verifier is notified: a person must confirm it in a flow (POST /flows). So is a request ' +
      'beyond the registration certificate of its verifier, or with a registration certificate that fails a check. ' +
      'If the other side refuses, the reply is a 500 with the reason, which production hides.',
    access: 'holder',
    idempotent: true,
    errors: [400],
  }),
  input: z.strictObject({
    holderId: z.string(),
    uri: z.string().min(1).max(MAX_URI).meta({
      description: '`openid-credential-offer://…`, `openid4vp://…`, or an https address of an authorization request.',
      example: 'openid-credential-offer://?credential_offer_uri=https%3A%2F%2Fissuer.example%2Foffers%2F1',
    }),
    txCode: z.string().min(1).max(100).optional().meta({
      description: 'The transaction code, if the offer requires one. The issuer sends it separately from the offer.',
    }),
    copies: z
      .int()
      .min(1)
      .max(20)
      .optional()
      .meta({ description: 'Copies to request of each credential, if the issuer issues batches. Default: 1.' }),
  }),
  output: z.discriminatedUnion('type', [
    z.object({
      type: z.literal('credential_offer'),
      credentials: z.array(zWalletCredential(formats)),
      deferred: z.int().min(1).optional().meta({
        description:
          'Number of credentials that the issuer issues later; the wallet asks for them on its own. Absent if there are none.',
      }),
    }),
    z.object({ type: z.literal('authorization_request'), redirectUri: z.string().optional() }),
  ]),
})
