import { z } from 'zod'
import { route } from '../../../api/contract.js'
import { createCredentialOffer } from '../credential-offers.contract.js'

export const MAX_ROWS = 100

export const createOfferBatch = {
  meta: route('POST', '/api/v1/credential-offers/batch', {
    tag: 'Credential offers',
    summary: 'Create many credential offers at once',
    description:
      'Creates all offers or none. If a row is invalid, a 400 names each invalid row by its position, from 0 (`rows.3.credentialSubject…`). The `key` of a row ' +
      "is the caller's own name for it. If a key already has an offer, no new offer is made. The answer then contains the existing offer with its transaction code. A repeated key with " +
      'different members is invalid. With `dryRun` no offer is made, and `errors` lists the problems. The rate limit counts one call.',
    access: 'issuer',
    errors: [400],
  }),
  input: z.strictObject({
    rows: z
      .array(createCredentialOffer.input.extend({ key: z.string().min(1).max(100) }))
      .min(1)
      .max(MAX_ROWS),
    dryRun: z.boolean().default(false),
  }),
  output: z.strictObject({
    offers: z.array(
      z.strictObject({
        key: z.string(),
        credentialOfferSessionId: z.uuid(),
        credentialOfferUri: z.string().meta({ description: 'URI of the offer by reference, for a link or QR code.' }),
        txCode: z.string().optional(),
        pageUrl: z.url().optional().meta({ description: 'URL of the share page, if one was requested.' }),
        repeated: z.boolean().meta({ description: 'Whether the key already had this offer.' }),
      }),
    ),
    errors: z
      .array(z.strictObject({ row: z.int(), key: z.string(), messages: z.array(z.string()) }))
      .meta({ description: 'With `dryRun`: the invalid rows.' }),
  }),
}
