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
      'An offer is taken in every format that the wallet holds; a request is answered with credentials that the wallet chooses; ' +
      'one with transaction data is a 400, since a person must confirm them in a flow (POST /flows), and its verifier is told. ' +
      'A refusal of the other side is a 500 with its reason, which production hides.',
    access: 'holder',
    errors: [400],
  }),
  input: z.strictObject({
    holderId: z.string(),
    uri: z.string().min(1).max(MAX_URI).meta({
      description: '`openid-credential-offer://…`, `openid4vp://…`, or an https address of an authorization request.',
      example: 'openid-credential-offer://?credential_offer_uri=https%3A%2F%2Fissuer.example%2Foffers%2F1',
    }),
    txCode: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .meta({ description: 'The transaction code that came apart from the offer, where it asks for one.' }),
    copies: z
      .int()
      .min(1)
      .max(20)
      .optional()
      .meta({ description: 'Copies to take of each credential, as far as the issuer gives batches; 1 unless given.' }),
  }),
  output: z.discriminatedUnion('type', [
    z.object({
      type: z.literal('credential_offer'),
      credentials: z.array(zWalletCredential(formats)),
      deferred: z.int().min(1).optional().meta({
        description:
          'How many credentials the issuer will have later: the wallet asks for them by itself. Absent where there is none.',
      }),
    }),
    z.object({ type: z.literal('authorization_request'), redirectUri: z.string().optional() }),
  ]),
})
