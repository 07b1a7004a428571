import { z } from 'zod'
import { route } from '../../../api/contract.js'
import { createCredentialOffer } from '../credential-offers.contract.js'

export const MAX_ROWS = 100

export const createOfferBatch = {
  meta: route('POST', '/api/v1/credential-offers/batch', {
    tag: 'Credential offers',
    summary: 'Make many credential offers at once',
    description:
      'All of them or none: where one row is wrong, a 400 names each such row by its position, from 0 (`rows.3.credentialSubject…`). The `key` of a row ' +
      "is the caller's own name for it: a row whose key has an offer already makes none, and is answered with that one, its transaction code too; with " +
      'other members than before it is wrong. With `dryRun` nothing is made, and `errors` says what is wrong. The rate limit counts one call.',
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
        credentialOfferUri: z
          .string()
          .meta({ description: 'Address of the offer by reference, for a link or QR code.' }),
        txCode: z.string().optional(),
        pageUrl: z.url().optional().meta({ description: 'The page for people, where one was asked for.' }),
        repeated: z.boolean().meta({ description: 'Whether the key had this offer already.' }),
      }),
    ),
    errors: z
      .array(z.strictObject({ row: z.int(), key: z.string(), messages: z.array(z.string()) }))
      .meta({ description: 'With `dryRun`: the rows that are wrong.' }),
  }),
}
